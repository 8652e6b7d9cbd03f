/** Signals can be sent by anybody, and cannot be refused: one that is not of its shape is not heard. */

/** The part of a schema that is needed here: `workflows` knows no library of shapes. */
type Schema<T> = {
  safeParse(input: unknown): { readonly success: true; readonly data: T } | { readonly success: false };
};

/** A handler that threw would block the workflow's tasks for ever. */
export function onSound<T>(schema: Schema<T>, input: unknown, heard: (sound: T) => void): void {
  const parsed = schema.safeParse(input);
  if (parsed.success) heard(parsed.data);
}
