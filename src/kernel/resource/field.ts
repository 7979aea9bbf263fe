import type { TSchema } from 'typebox'
import type { Json, JsonObject } from '../shape.ts'

/** `set` is stored and set by its owner; `kept` is stored and set by the code; `asked` is read and becomes something else. */
export type FieldKind = 'set' | 'kept' | 'asked'
export type Stored = string | number | null

/** What readers and forms may need to know about this gateway. Modules add members where they declare fields that need them. */
export interface Rules {
  /** Whether addresses that browsers open may begin with http. */
  plainHttpAllowed: boolean
}

export interface Reading {
  rules: Partial<Rules>
  /** The valid fields that were declared before this one: a price needs the currency beside it. */
  others: Readonly<Record<string, unknown>>
  /** Its path in the request, as in `items[0].price`. Refusals begin with it. */
  path: string
}

export interface Labelled {
  label: string
  hint?: string
  placeholder?: string
  /** Only the form for a new record has it; later a page or a button of its own does. */
  isForNew?: true
  /** Shown beside the field before it where there is space. */
  isBeside?: true
  /** The text after the label where a refusal of the API does not begin with the name of the field. */
  formText?: string
  /** Filled in by nearly everybody, so that the form does not call it optional. */
  isExpected?: true
  /** A column that is shown only where a program has filled it. */
  isRare?: true
  /** A stored value for which the form is empty. */
  unset?: Json
}

type Options = (rules: Partial<Rules>) => readonly (readonly [value: string, text: string])[]

/** The input for a field in a form. */
export type Control = Labelled &
  (
    | {
        as: 'text'
        max?: number
        isSecret?: boolean
        digits?: boolean
        /** An amount, which people write with a comma or a point. */
        decimal?: true
        type?: 'url' | 'email' | 'date'
        /** The height of a text with several lines. */
        lines?: number
        /** Where the form writes it in another way than the API; days are those of the shop's time zone. */
        toInput?(shown: Json, timeZone: string): string
        fromInput?(typed: string, timeZone: string): Json
      }
    /** A file that is uploaded, or the address of a picture that is online. */
    | { as: 'picture' }
    | { as: 'choice'; options: Options }
    | { as: 'choices'; options: Options }
    /** Several values of one kind, each a row; empty rows do not count. */
    | { as: 'list'; decimal?: true; max: number; one: string; add: string }
    | {
        as: 'rows'
        columns: Readonly<Record<string, { control: Control | undefined }>>
        max: number
        /** What one row is, and the words that add one. */
        one: string
        add: string
      }
    /** The members of an object; `tidy` completes what was typed. */
    | { as: 'group'; parts: Readonly<Record<string, Control>>; tidy?(typed: JsonObject): Json }
    /** The page has inputs of its own: `toInputs` fills them, and `fromInputs` turns what was typed into what a request says. */
    | {
        as: 'own'
        toInputs(shown: Json | undefined): Record<string, string>
        fromInputs(get: (name: string) => string): Json
      }
  )

/**
 * One field of a noun: `T` is its type in code, `C` the type of its column. Functions are declared as methods, so that fields of any
 * type fit into one list.
 */
export interface Field<T, K extends FieldKind = FieldKind, C extends Stored = Stored> {
  readonly kind: K
  /** Its name in the API, where it differs from the column's. */
  readonly wire?: string
  readonly isHidden: boolean
  readonly isRequired: boolean
  readonly set: 'always' | 'once'
  /** Set where answers show only a part of it: sent back as it was shown, it stays as it is. */
  readonly isShownInPart: boolean
  /** Whether null and empty text leave it unchanged in a change; otherwise they remove it, or are refused. */
  readonly emptyLeaves: boolean
  /** Its schema in answers and requests. */
  readonly schema: TSchema
  readonly takes: TSchema
  readonly example: Json | undefined
  /** Undefined where no form has it. */
  readonly control: Control | undefined
  /** The type of its column; a test compares it with the migrations. */
  readonly column: 'string' | 'string | null' | 'number' | 'number | null' | 'none'
  /** Set where it is a member of a JSON column, and not in it while it is `absent`. */
  readonly within?: { readonly column: string; readonly absent: Json }
  /** Whether it is personal data, or why a text that a person may set is not. */
  readonly personal: true | `no: ${string}` | undefined
  /** Secrets are never exported. */
  readonly isSecret: boolean
  /** The value of its column once the account is erased. */
  readonly erased: C | undefined
  toColumn(value: T): C
  fromColumn(stored: C): T
  /** Undefined leaves it out of the answer. */
  show(value: T): Json | undefined
  /** Throws when the value is wrong. */
  read(value: unknown, reading: Reading): T
}

export type FieldsOf = Readonly<Record<string, Field<unknown>>>
export type ValueOf<F> = F extends Field<infer T> ? T : never
