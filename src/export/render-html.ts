/** An exported run as one static page: no script, nothing from outside, and every word from outside is text. */
import type { OutcomeStatus } from '../contract/outcome.ts';
import type { RunStatus } from '../contract/run-view.ts';
import { gapsMeaning } from '../domain/report.ts';
import { pageStyle } from './page-style.ts';
import { reportToHtml, webLink } from './report-to-html.ts';
import type { CitedRow, FindingRow, RunDocument, SourceRow } from './run-document.ts';
import { html, type SafeHtml } from './safe-html.ts';

const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

type Section = { readonly id: string; readonly heading: string; readonly body: SafeHtml };

export function renderHtml(run: RunDocument): string {
  const sections = toSections(run);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <meta name="color-scheme" content="light dark" />
        <title>${run.title}</title>
        <style>
          ${{ html: pageStyle }}
        </style>
      </head>
      <body>
        <header>
          <h1 dir="auto">${run.title}</h1>
          ${run.question === null ? null : html`<p class="question" dir="auto">${run.question}</p> `}
          <div class="status ${toneOf(run.status)}">
            <strong>${run.headline}</strong>
            ${run.reasons.map((reason) => html`<p dir="auto">${reason}</p> `)}
          </div>
          <dl>
            ${run.facts.map(
              ([name, value]) =>
                html`<dt>${name}</dt>
                  <dd>${value}</dd> `,
            )}
          </dl>
        </header>
        <nav aria-label="On this page">
          <ul>
            ${sections.map(({ id, heading }) => html`<li><a href="#${id}">${heading}</a></li> `)}
          </ul>
        </nav>
        <main>
          ${sections.map(
            ({ id, heading, body }) =>
              html`<section aria-labelledby="${id}">
                <h2 id="${id}">${heading}</h2>
                ${body}
              </section> `,
          )}
        </main>
        <footer>
          Exported by Tributary. Quotes marked as verified stand word for word in what was read of the source.
        </footer>
      </body>
    </html> `.html;
}

function toSections(run: RunDocument): Section[] {
  return [
    {
      id: 'report',
      heading: 'Report',
      body: html`${run.reportNote === null ? null : html`<p class="note">${run.reportNote}</p> `}${run.report === null ? null : html`<article dir="auto">${reportToHtml(run.report)}</article> `}`,
    },
    ...(run.findings.length === 0
      ? []
      : [{ id: 'findings', heading: `Findings (${run.findings.length})`, body: toFindings(run.findings) }]),
    ...(run.gaps.length === 0 ? [] : [{ id: 'gaps', heading: `Gaps (${run.gaps.length})`, body: toGaps(run) }]),
    ...(run.notes.length === 0
      ? []
      : [
          {
            id: 'notes',
            heading: 'Notes',
            body: html`<ul>
              ${run.notes.map((note) => html`<li dir="auto">${note}</li> `)}
            </ul> `,
          },
        ]),
    ...(run.cited.length + run.uncited.length === 0
      ? []
      : [{ id: 'sources', heading: `Sources (${run.sourceCount})`, body: toSources(run) }]),
    ...(run.subagents.length === 0
      ? []
      : [{ id: 'subagents', heading: `Subagents (${run.subagents.length})`, body: toSubagents(run) }]),
    { id: 'budget', heading: 'Budget', body: toBudget(run) },
  ];
}

function toFindings(findings: readonly FindingRow[]): SafeHtml {
  return html`<ol class="sources">
    ${findings.map(
      ({ id, text, quote, source }) =>
        html`<li>
          <span class="number">${id}</span>
          <div>
            <div dir="auto">${text}</div>
            ${quote === '' ? null : html`<div class="quote" dir="auto">“${quote}”</div>`} ${toPlace(source)}
          </div>
        </li> `,
    )}
  </ol> `;
}

function toGaps({ gaps }: RunDocument): SafeHtml {
  return html`<p>${gapsMeaning}</p>
    <ul>
      ${gaps.map(
        ({ subagentId, goal, status }) =>
          html`<li dir="auto"><strong>${subagentId}</strong> ${goal} <span class="soft">(${status})</span></li> `,
      )}
    </ul> `;
}

function toSources({ cited, uncited }: RunDocument): SafeHtml {
  return html`${
    cited.length === 0
      ? null
      : html`<ol class="sources">
          ${cited.map(toCited)}
        </ol> `
  }${
    uncited.length === 0
      ? null
      : html`<h3>Read, not cited (${uncited.length})</h3>
          <ul class="sources">
            ${uncited.map(
              (source) =>
                html`<li>
                  <span class="number" aria-hidden="true">–</span>
                  <div>${toPlace(source)}</div>
                </li> `,
            )}
          </ul> `
  }`;
}

function toCited(row: CitedRow): SafeHtml {
  const check = row.verified
    ? html`<span class="good"><span class="tone">✓ quote verified</span></span>`
    : html`<span class="bad"><span class="tone">⚠ unverified: the source does not hold this quote</span></span>`;
  return html`<li id="source-${row.number}">
    <span class="number">[${row.number}]</span>
    <div>
      ${toPlace(row)}
      <div class="quote" dir="auto">“${row.quote}”</div>
      <p class="small">${check}</p>
    </div>
  </li> `;
}

function toPlace({ title, place, url, by }: SourceRow): SafeHtml {
  const where = url === null ? html`${place}` : webLink(url, place);
  return html`${title === place ? null : html`<span class="title" dir="auto">${title}</span> `}<span class="place"
      >${where}</span
    >${by === '' ? null : html` <p class="small">read by ${by}</p>`}`;
}

function toSubagents({ subagents }: RunDocument): SafeHtml {
  const numbers = ['Findings', 'Turns', 'Tool calls', 'Tokens', 'Cost', 'Time'];
  return html`<div class="wide broad" role="region" aria-labelledby="subagents" tabindex="0">
    <table>
      <thead>
        <tr>
          <th scope="col">Id</th>
          <th scope="col">Goal</th>
          <th scope="col">Status</th>
          ${numbers.map((name) => html`<th scope="col" class="right">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${subagents.map(
          (row) =>
            html`<tr>
              <th scope="row">${row.id}</th>
              <td class="text" dir="auto">${row.goal}</td>
              <td class="${row.message === '' ? '' : 'text '}${toneOf(row.status.split(':', 1)[0]!)}">
                <span class="tone">${row.status}</span
                >${row.message === '' ? null : html`<br /><span dir="auto">${row.message}</span>`}
              </td>
              ${[row.findings, row.turns, row.toolCalls, row.tokens, row.cost, row.time].map((value) => html`<td class="right">${value}</td>`)}
            </tr> `,
        )}
      </tbody>
    </table>
  </div> `;
}

function toBudget({ budget }: RunDocument): SafeHtml {
  return html`<div class="wide" role="region" aria-labelledby="budget" tabindex="0">
    <table>
      <thead>
        <tr>
          <th scope="col">Of the run</th>
          <th scope="col" class="right">Used</th>
          <th scope="col" class="right">Reserved</th>
          <th scope="col" class="right">Limit</th>
        </tr>
      </thead>
      <tbody>
        ${budget.map(
          ({ name, used, reserved, limit }) =>
            html`<tr>
              <th scope="row">${name}</th>
              <td class="right">${used}</td>
              <td class="right">${reserved}</td>
              <td class="right">${limit}</td>
            </tr> `,
        )}
      </tbody>
    </table>
  </div> `;
}

const tones: Readonly<Partial<Record<RunStatus | OutcomeStatus, string>>> = {
  completed: 'good',
  done: 'good',
  reused: 'good',
  partial: 'warn',
  failed: 'bad',
  terminated: 'bad',
  'timed-out': 'bad',
};

/** The word always stands beside it. */
function toneOf(status: string): string {
  return Object.hasOwn(tones, status) ? tones[status as RunStatus]! : '';
}
