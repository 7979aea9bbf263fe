import type { Tables } from './db.ts'

declare const sealing: unique symbol

/** What binds an encrypted text to its row. Only `sealedIn` makes one, so everything encrypted can be found and encrypted again. */
export type SealContext = string & { readonly [sealing]: true }

/** Columns with encrypted texts. */
export interface SealedColumns {
  table: keyof Tables
  columns: readonly string[]
  key: readonly string[]
  /** Set where the column is JSON, and the encrypted text one of its members. */
  member?: string
}

/** Columns with encrypted texts, and the context of a row by its key. */
export interface SealedIn<K extends readonly string[]> extends SealedColumns {
  (...key: { [Column in keyof K]: string }): SealContext
}

/** Declares columns that hold encrypted texts; the call of the result is the context of a row, by its key. */
export function sealedIn<T extends keyof Tables, const K extends readonly (keyof Tables[T] & string)[]>(
  place: { table: T; columns: readonly (keyof Tables[T] & string)[]; key: K; member?: string },
  context: (...key: { [Column in keyof K]: string }) => string,
): SealedIn<K> {
  const of = (...key: { [Column in keyof K]: string }) => context(...key) as SealContext
  return Object.assign(of, place)
}
