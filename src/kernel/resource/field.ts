import type { TSchema } from 'typebox'
import type { Json, JsonObject } from '../shape.ts'

/**
 * `set`: stored, and set by the owner. `kept`: stored, and set by code. `asked`: read from requests, but not stored as
 * it is.
 */
export type FieldKind = 'set' | 'kept' | 'asked'
export type Stored = string | number | null

/** Properties of this gateway that readers and forms may need. Modules add members where they declare such fields. */
export interface Rules {
  /** Whether URLs that browsers open may begin with http. */
  plainHttpAllowed: boolean
}

export interface Reading {
  rules: Partial<Rules>
  /** The valid fields declared before this one; for example, a price needs its currency. */
  others: Readonly<Record<string, unknown>>
  /** Its path in the request, as in `items[0].price`; refusals begin with it. */
  path: string
}

export interface Labelled {
  label: string
  hint?: string
  placeholder?: string
  /** Only in the form for a new record; later it is changed on its own page or with a button. */
  isForNew?: true
  /** Shown beside the field before it if there is space. */
  isBeside?: true
  /** The text after the label, for a refusal whose API text does not begin with the field's name. */
  formText?: string
  /** Nearly everybody fills it in, so the form does not call it optional. */
  isExpected?: true
  /** A column that is shown only where a program has filled it. */
  isRare?: true
  /** A stored value that the form shows as empty. */
  unset?: Json
}

type Options = (rules: Partial<Rules>) => readonly (readonly [value: string, text: string])[]

/** The input of a field in a form. */
export type Control = Labelled &
  (
    | {
        as: 'text'
        max?: number
        isSecret?: boolean
        digits?: boolean
        /** An amount, which people may type with a comma or a point. */
        decimal?: true
        type?: 'url' | 'email' | 'date'
        /** Number of lines of a text. */
        lines?: number
        /** Where the form writes it in another way than the API; days are those of the shop's time zone. */
        toInput?(shown: Json, timeZone: string): string
        fromInput?(typed: string, timeZone: string): Json
      }
    /** A file that is uploaded, or the address of a picture that is online. */
    | { as: 'picture' }
    /** A colour such as #1a5fc7, typed or picked; the placeholder is what the picker shows where there is none. */
    | { as: 'colour' }
    | { as: 'choice'; options: Options }
    | { as: 'choices'; options: Options }
    /** Several values of one kind, each a row; empty rows do not count. */
    | { as: 'list'; decimal?: true; max: number; one: string; add: string }
    | {
        as: 'rows'
        columns: Readonly<Record<string, { control: Control | undefined }>>
        max: number
        /** What one row is, and the label of the button that adds one. */
        one: string
        add: string
      }
    /** An object of any members: a row for each, with its name and its value. */
    | {
        as: 'members'
        columns: Readonly<Record<'name' | 'value', { control: Control }>>
        max: number
        one: string
        add: string
      }
    /** The known members of an object; `tidy` completes what was typed. */
    | { as: 'group'; parts: Readonly<Record<string, Control>>; tidy?(typed: JsonObject): Json }
  )

/**
 * One field of a resource. `T` is its type in code, `C` the type of its column. Functions are declared as methods, so
 * that fields of all types fit into one list.
 */
export interface Field<T, K extends FieldKind = FieldKind, C extends Stored = Stored> {
  readonly kind: K
  /** Its name in the API, if it differs. */
  readonly wire?: string
  readonly isHidden: boolean
  readonly isRequired: boolean
  readonly set: 'always' | 'once'
  /** Set if answers show only a part of it. A change that sends this part back leaves the field as it is. */
  readonly isShownInPart: boolean
  /** Whether null and empty text in a change leave it as it is; otherwise they remove the value, or are refused. */
  readonly emptyLeaves: boolean
  /** Its schema in answers and requests. */
  readonly schema: TSchema
  readonly takes: TSchema
  readonly example: Json | undefined
  /** Undefined if no form contains it. */
  readonly control: Control | undefined
  /** The type of its column; a test compares it with the migrations. */
  readonly column: 'string' | 'string | null' | 'number' | 'number | null' | 'none'
  /** Set if it is a member of a JSON column. It is missing in that column while it is `absent`. */
  readonly within?: { readonly column: string; readonly absent: Json }
  /** Whether it is personal data; if people can set it as text and it is not, the reason. */
  readonly personal: true | `no: ${string}` | undefined
  /** Secrets are never exported. */
  readonly isSecret: boolean
  /** What remains in its column after the account is erased. */
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
