import type { Tables } from './db.ts'

declare const sealing: unique symbol

/** What binds an encrypted text to its row. Only `encryptedIn` makes one, so everything encrypted can be found and encrypted again. */
export type EncryptionContext = string & { readonly [sealing]: true }

/** Columns with encrypted texts. */
export interface EncryptedColumns {
  table: keyof Tables
  columns: readonly string[]
  key: readonly string[]
  /** Set where the column is JSON, and the encrypted text one of its members. */
  member?: string
}

/** Columns with encrypted texts, and the context of a row by its key. */
export interface EncryptedIn<K extends readonly string[]> extends EncryptedColumns {
  (...key: { [Column in keyof K]: string }): EncryptionContext
}

/** Declares columns that hold encrypted texts; the call of the result is the context of a row, by its key. */
export function encryptedIn<T extends keyof Tables, const K extends readonly (keyof Tables[T] & string)[]>(
  place: { table: T; columns: readonly (keyof Tables[T] & string)[]; key: K; member?: string },
  context: (...key: { [Column in keyof K]: string }) => string,
): EncryptedIn<K> {
  const of = (...key: { [Column in keyof K]: string }) => context(...key) as EncryptionContext
  return Object.assign(of, place)
}
