/**
 * A report as a tree of what may be shown, and nothing else: no HTML, no images, no links but absolute http(s) ones. Every
 * way of showing a report walks this tree.
 */

export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis' | 'deleted'; readonly children: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'break' }
  /** `url` is normalized; `host` is set where the words of the link could pass for another address. */
  | { readonly kind: 'link'; readonly url: string; readonly host?: string; readonly children: readonly Inline[] }
  | { readonly kind: 'citation'; readonly number: number }
  /** A marker that names no source of the run. */
  | { readonly kind: 'unknown-citation'; readonly number: number };

export type Align = 'left' | 'center' | 'right' | null;

export type Block =
  /** From 1, as the report says it; whoever shows it puts it below headings of its own. */
  | { readonly kind: 'heading'; readonly level: number; readonly children: readonly Inline[] }
  | { readonly kind: 'paragraph'; readonly children: readonly Inline[] }
  | {
      readonly kind: 'list';
      /** `null` for a list without numbers. */
      readonly start: number | null;
      readonly items: readonly (readonly Block[])[];
    }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'quote'; readonly children: readonly Block[] }
  | {
      readonly kind: 'table';
      readonly align: readonly Align[];
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    }
  | { readonly kind: 'rule' };
