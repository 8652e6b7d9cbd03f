/** Strict readers of flag values: text in, value out, and a sentence that says what was wanted. */
import { z } from 'zod';
import { durationSchema } from '../../contract/duration.ts';

/** Plain decimal digits, at least 1. `1e3`, `0x10`, `+5`, `5.0` and `007` are typing errors, not numbers. */
export function wholeNumberFlag(max: number = Number.MAX_SAFE_INTEGER) {
  const wanted =
    max === Number.MAX_SAFE_INTEGER
      ? 'wanted a whole number of at least 1'
      : `wanted a whole number of at least 1 and at most ${max}`;
  return z
    .string()
    .refine((text) => /^[1-9]\d*$/.test(text) && Number(text) <= max, wanted)
    .transform(Number);
}

/** `90s`, `10m`, `2h`; yields milliseconds. A bare number has no unit and is refused. */
export const durationFlag = z
  .string()
  .transform((text): string | number => text)
  .pipe(durationSchema);

/** USD as a plain decimal above 0, such as `2` or `0.50`. No currency sign, no exponent, no group separator. */
export const usdFlag = z
  .string()
  .refine((text) => /^\d{1,6}(\.\d{1,6})?$/.test(text) && Number(text) > 0, 'wanted an amount in USD such as 2 or 0.50')
  .transform(Number);

/** `on` or `off`. */
export const switchFlag = z.enum(['on', 'off']).transform((word) => word === 'on');

/** One of a few words. */
export function wordFlag<const T extends readonly [string, ...string[]]>(words: T) {
  return z.enum(words);
}

export const textFlag = z.string().trim().min(1);

/** Words separated by commas; the flag may also be repeated. */
export function wordListFlag<const T extends readonly [string, ...string[]]>(words: T) {
  const word = z.enum(words);
  return z.array(z.string()).transform((values, context) =>
    values
      .flatMap((value) => value.split(','))
      .map((value) => {
        const parsed = word.safeParse(value.trim());
        if (parsed.success) return parsed.data;
        const message = `wanted some of ${words.join(', ')}`;
        context.addIssue({ code: 'custom', message, input: value });
        return z.NEVER;
      }),
  );
}
