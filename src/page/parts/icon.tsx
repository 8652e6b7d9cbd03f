/** Marks as drawings: a font may lack the sign, a drawing is there everywhere. They stand beside a word, never for one. */
const paths = {
  half: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2z',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  cross: 'M4 4l8 8M12 4l-8 8',
  again: 'M4.2 4.7A5.3 5.3 0 1 1 2.7 8.6M4.4 1.6v3.3h3.3',
  retry: 'M11.8 4.7A5.3 5.3 0 1 0 13.3 8.6M11.6 1.6v3.3H8.3',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  alert: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8M8 4.6v4M8 11v.4',
  stop: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M3.8 3.8l8.4 8.4',
  dot: 'M8 6.8a1.2 1.2 0 1 0 0 2.4 1.2 1.2 0 0 0 0-2.4z',
  live: 'M8 4.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z',
  down: 'M3.5 6l4.5 4.5L12.5 6',
  right: 'M6 3.5L10.5 8 6 12.5',
  up: 'M3.5 10L8 5.5l4.5 4.5',
  out: 'M6 3H3v10h10v-3M9 2.5h4.5V7M13 3L7.5 8.5',
  copy: 'M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1',
  partial: 'M2.5 2.5h11v11h-11zM13 3L3 13',
} as const;

export type IconName = keyof typeof paths;
const filled: readonly IconName[] = ['dot', 'live'];

export function Icon({ name, size = 14 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      className="icon"
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill={filled.includes(name) ? 'currentColor' : 'none'}
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={paths[name]} />
      {name === 'half' && <path d="M8 2.5v11a5.5 5.5 0 0 1 0-11z" fill="currentColor" stroke="none" />}
    </svg>
  );
}
