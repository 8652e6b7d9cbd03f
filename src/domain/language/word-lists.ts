/** English words that say little about what a text is about. */

const list = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** Never indexed and never searched for. */
export const stopWords = list(`
  a about after all also am an and any are as at be because been before being but by can cannot could did do does doing
  don't done each either else for from get gets got had has have having he her here him his how i if in into is isn't it
  its itself just let like may me might more most much must my no nor not of off on once only onto or other our out over
  own per shall she should so some such than that the their them then there these they this those through thus to too
  under until up upon us very via was we were what when where whether which while who whom whose why will with within
  without would yes yet you your
`);

/**
 * Words by which people ask, or by which a document speaks of itself: they may be meant ("specification", "guide"),
 * so they count, but little.
 */
export const framingWords = list(`
  add adds added adding addition allow allows article bring brings brought change changed changes come comes concern
  concerns define defined defines defining definition describe described describes describing description develop
  developed document documents documented documentation evolution evolve evolved evolves exist exists explain explained
  explains find found give gives given giving grow grew grown happen happens happened idea introduce introduced introduces
  introducing lets make makes made making mean meant means name named new page paper proposal proposals propose proposed
  proposes provide provided provides purpose put puts question report said say says show shown shows source specification
  specified specifies specify state stated states support supported supports talk tell tells text thing things told use
  used uses using way work works written
`);
