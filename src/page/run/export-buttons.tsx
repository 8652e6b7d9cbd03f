/** The report as a file, in the forms that the server writes. */
import type { PageRunHandle } from '../server/client-context.tsx';
import { useAction } from '../server/use-action.ts';
import { toMessage } from '../parts/problem.tsx';

const kinds = {
  md: { label: 'Markdown', type: 'text/markdown' },
  html: { label: 'HTML', type: 'text/html' },
  json: { label: 'JSON', type: 'application/json' },
} as const;

export function ExportButtons({ handle }: { readonly handle: PageRunHandle }) {
  const action = useAction();
  const save = (format: keyof typeof kinds) =>
    action.run(async () => {
      const report: unknown = await handle.report(format);
      const text = typeof report === 'string' ? report : JSON.stringify(report, null, 2);
      const url = URL.createObjectURL(new Blob([text], { type: kinds[format].type }));
      const link = document.createElement('a');
      link.href = url;
      link.download = `${handle.runId}.${format}`;
      link.click();
      URL.revokeObjectURL(url);
    });
  return (
    <>
      {(Object.keys(kinds) as (keyof typeof kinds)[]).map((format) => (
        <button key={format} type="button" disabled={action.isPending} onClick={() => save(format)}>
          Export {kinds[format].label}
        </button>
      ))}
      {action.error !== null && <span className="error">{toMessage(action.error)}</span>}
    </>
  );
}
