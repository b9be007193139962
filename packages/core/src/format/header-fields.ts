import type { FieldName } from "./known-fields.ts";
import type { RawValue } from "./raw-header.ts";

/** The known keys of one header, whatever way they were spelled. */
export class HeaderFields {
  private readonly fields = new Map<FieldName, { readonly key: string; readonly value: RawValue }>();

  /** Keeps a key; false if another spelling of it was there before. */
  set(field: FieldName, key: string, value: RawValue): boolean {
    const isNew = !this.fields.has(field);
    this.fields.set(field, { key, value });
    return isNew;
  }

  value(field: FieldName): RawValue | undefined {
    return this.fields.get(field)?.value;
  }

  /** Calls back with a key's value and its spelling, if it is there. */
  with(field: FieldName, read: (value: RawValue, path: string) => void): void {
    const found = this.fields.get(field);
    if (found !== undefined) read(found.value, found.key);
  }
}
