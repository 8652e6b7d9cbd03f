/** From `openai/gpt-5` to a vendor's API and its name for the model. */
import { vendors, type Vendor } from './vendor.ts';

/** `null` where the name means no model of a vendor. Everything after the first slash is the vendor's: more slashes, colons. */
export function parseModelName(name: string): { readonly vendor: Vendor; readonly modelId: string } | null {
  const slash = name.indexOf('/');
  const vendor = vendors.find((each) => each === name.slice(0, slash));
  const modelId = name.slice(slash + 1);
  return vendor !== undefined && /^[^\s\p{C}]+$/u.test(modelId) ? { vendor, modelId } : null;
}
