/** Shares and places reach the style sheet as custom properties. */
import 'react';

declare module 'react' {
  interface CSSProperties {
    [name: `--${string}`]: string | number;
  }
}
