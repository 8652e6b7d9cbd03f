/** Validators of updates: what they refuse leaves no trace in the history, and the caller learns why. */
import { toApplicationFailure, toFailure } from '../temporal/failure-codec.ts';

/** `parse` checks the shape of the input, `check` what it asks for; both throw our errors, which travel with their code. */
export function toValidator<Input>(
  parse: (input: unknown) => Input,
  check: (input: Input) => void,
): (input: unknown) => void {
  return (input) => {
    try {
      check(parse(input));
    } catch (error) {
      throw toApplicationFailure(toFailure(error), { nonRetryable: true });
    }
  };
}
