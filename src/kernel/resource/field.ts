import type { TSchema } from 'typebox'
import type { Json } from '../shape.ts'

/** `set` is stored and its owner's to set; `kept` is stored and the code's; `asked` is read and becomes something else. */
export type FieldKind = 'set' | 'kept' | 'asked'
export type Stored = string | number | null

/** What readers and forms may need to know of this gateway. Modules add theirs where they declare fields that ask for it. */
export interface Rules {}

export interface Reading {
  rules: Partial<Rules>
  /** The fields declared before this one, as far as they are right: a price is in the currency beside it. */
  others: Readonly<Record<string, unknown>>
  /** Where it stands in the request: `items[0].price`. Refusals begin with it. */
  path: string
}

export interface Labelled {
  label: string
  hint?: string
  placeholder?: string
  /** Only the form of a new one asks for it; later a page or a button of its own does. */
  isForNew?: true
  /** It stands beside the field before it where there is room. */
  isBeside?: true
  /** What is said after the label where a refusal of the API does not begin with the name of the field. */
  formText?: string
}

type Options = (rules: Partial<Rules>) => readonly (readonly [value: string, text: string])[]

/** How a form asks for it. */
export type Control = Labelled &
  (
    | { as: 'text'; max?: number; isSecret?: boolean; digits?: boolean; type?: 'url' }
    | { as: 'choice'; options: Options }
    | { as: 'choices'; options: Options }
    /** Several in one line. */
    | { as: 'list' }
    | { as: 'rows'; columns: Readonly<Record<string, Field<Json>>>; max: number; add: string }
    /** The page has inputs of its own for it, turns what is shown into their values, and what was typed into what a request says. */
    | {
        as: 'own'
        toInputs(shown: Json | undefined): Record<string, string>
        fromInputs(get: (name: string) => string): Json
      }
  )

/**
 * One field of a noun: `T` is what code works with, `C` what its column holds. They are methods, so that fields of any type fit
 * into one list.
 */
export interface Field<T, K extends FieldKind = FieldKind, C extends Stored = Stored> {
  readonly kind: K
  /** Its name on the wire, where that is not the column's. */
  readonly wire?: string
  readonly isHidden: boolean
  readonly isRequired: boolean
  readonly set: 'always' | 'once'
  /** What is shown is not all of it: sent back as it was shown, it stays as it is. */
  readonly isShownInPart: boolean
  /** In a change null and an empty text leave it as it is; otherwise they take it away, or are refused. */
  readonly emptyLeaves: boolean
  /** As answers have it, and as requests may write it. */
  readonly schema: TSchema
  readonly takes: TSchema
  readonly example: Json | undefined
  /** None: no form asks for it. */
  readonly control: Control | undefined
  /** The type of its column; a test compares it with the migrations. */
  readonly column: 'string' | 'string | null' | 'number' | 'number | null' | 'none'
  /** Whether it tells of people, or why a text that a person may set does not. */
  readonly personal: true | `no: ${string}` | undefined
  /** Never exported. */
  readonly isSecret: boolean
  /** What its column holds once the account is erased. */
  readonly erased: C | undefined
  toColumn(value: T): C
  fromColumn(stored: C): T
  show(value: T): Json
  /** Throws what is wrong with it. */
  read(value: unknown, reading: Reading): T
}

export type FieldsOf = Readonly<Record<string, Field<unknown>>>
export type ValueOf<F> = F extends Field<infer T> ? T : never
