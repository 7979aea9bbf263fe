import Type, { type TSchema } from 'typebox'

const text = (pattern: string, description: string) => Type.String({ pattern, description })

/** Parts from which actions build the schemas of their answers. Members may be added later but never removed. */
export const answer = {
  text: Type.String(),
  bool: Type.Boolean(),
  number: Type.Number(),
  integer: Type.Integer(),
  address: text('^nano_[13][13-9a-km-uw-z]{59}$', 'An address.'),
  hash: text('^[0-9A-F]{64}$', 'A hash, in upper case.'),
  key: text('^[0-9A-F]{64}$', 'A public key.'),
  raw: text('^[0-9]{1,39}$', 'An amount in raw.'),
  nano: text('^[0-9]{1,9}(\\.[0-9]{1,30})?$', 'An amount in nano.'),
  whole: text('^[0-9]+$', 'A whole number as text.'),
  decimal: text('^-?[0-9]+(\\.[0-9]+)?(e[+-]?[0-9]+)?$', 'A number as text.'),
  flag: Type.String({ enum: ['true', 'false'] }),
  bit: Type.String({ enum: ['0', '1'] }),
  work: text('^[0-9a-f]{16}$', 'A work value or difficulty.'),
  unix: Type.Integer({ description: 'Seconds since 1970.' }),
  url: text('^https?://', 'A link.'),
  paymentUri: text('^nano:', 'A link that opens in wallets.'),
  png: text('^data:image/png;base64,', 'A picture.'),
  object: Type.Object({}),
  nothing: Type.String({ enum: [''] }),
  record: Type.Object,
  optional: Type.Optional,
  list: (items: TSchema) => Type.Array(items),
  oneOf: (...forms: TSchema[]) => Type.Union(forms),
  words: (...words: string[]) => Type.String({ enum: words }),
  orNull: (form: TSchema) => Type.Union([form, Type.Null()]),
  /** An object whose keys come from the caller or the ledger. */
  map: (values: TSchema) => Type.Object({}, { additionalProperties: values }),
  /** Nodes write an empty list or map as `""`. */
  orNothing: (form: TSchema) => Type.Union([form, Type.String({ enum: [''] })]),
} as const
