import type { Tables } from './db.ts'

declare const sealing: unique symbol

/**
 * Ties an encrypted text to its row. Only `encryptedIn` creates contexts, so all encrypted texts can be found and
 * encrypted again.
 */
export type EncryptionContext = string & { readonly [sealing]: true }

/** Columns with encrypted texts. */
export interface EncryptedColumns {
  table: keyof Tables
  columns: readonly string[]
  key: readonly string[]
  /** Set if the column contains JSON, and the encrypted text is one of its members. */
  member?: string
}

/** Columns with encrypted texts, with a function that returns the context of a row. */
export interface EncryptedIn<K extends readonly string[]> extends EncryptedColumns {
  (...key: { [Column in keyof K]: string }): EncryptionContext
}

/** Declares columns that contain encrypted texts. Calling the result returns the context of the row with that key. */
export function encryptedIn<T extends keyof Tables, const K extends readonly (keyof Tables[T] & string)[]>(
  place: { table: T; columns: readonly (keyof Tables[T] & string)[]; key: K; member?: string },
  context: (...key: { [Column in keyof K]: string }) => string,
): EncryptedIn<K> {
  const of = (...key: { [Column in keyof K]: string }) => context(...key) as EncryptionContext
  return Object.assign(of, place)
}
