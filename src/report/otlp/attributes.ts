import { plainText } from '../plain-text.ts';

/** An attribute of OpenTelemetry, as OTLP's JSON has it: 64-bit numbers are texts. */
export interface OtlpAttribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string } | { readonly doubleValue: number };
}

export const textAttribute = (key: string, text: string): OtlpAttribute => ({
  key,
  value: { stringValue: plainText(text) },
});

export const numberAttribute = (key: string, value: number): OtlpAttribute => ({
  key,
  value: Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value },
});
