import Type, { type Static, type TSchema } from 'typebox'
import { type Raw, parseNano, parseRaw, toPlainDecimal } from './money.ts'
import { fromAddress, toAddress } from './nano/address.ts'
import { isHex } from './nano/hex.ts'
import { type JsonObject, textOf } from './shape.ts'
import type { ErrorCode } from './errors.ts'

/** The refusal of a wrong value: the node's own message if it has one, and a stable code. */
export interface FieldRefusal {
  text: string
  code: ErrorCode
}

/** Formats that accept all usual spellings, by the names used in schemas. */
export const FORMATS: Record<string, (text: string) => boolean> = {
  'block-hash': (text) => isHex(text, 64),
  'election-root': (text) => isHex(text, 128),
  'nano-amount': (text) => readNano(text) !== undefined,
  'raw-amount': (text) => readRaw(text) !== undefined,
  'work-value': (text) => /^[0-9a-fA-F]{1,16}$/.test(text),
  multiplier: (text) => /^\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) && Number(text) > 0,
}

/**
 * Readers convert a checked value to what the code uses, or to undefined if it cannot be read. Schemas name their
 * reader, so that a schema is plain data.
 */
export const READERS = {
  address: readAddress,
  upper: (value: unknown) => (value as string).toUpperCase(),
  lower: (value: unknown) => (value as string).toLowerCase(),
  flag: readFlag,
  whole: (value: unknown) => (typeof value === 'number' ? value : Number((value as string).trim())),
  multiplier: (value: unknown) => Number(value),
  decimal: (value: unknown) => toPlainDecimal(textOf(value)),
  nano: readNano,
  raw: readRaw,
  nanoOrAll: (value: unknown) => (value === 'all' ? 'all' : readNano(value)),
  duration: readDuration,
  metadata: readMetadata,
  username: (value: unknown) => (value as string).replace(/^@/, ''),
} as const

export type ReaderName = keyof typeof READERS

/** Programs write numbers with exponents; settings, links and the ledger do not. */
function readNano(value: unknown): Raw | undefined {
  return parseNano(toPlainDecimal(textOf(value)))
}

function readRaw(value: unknown): Raw | undefined {
  return parseRaw(toPlainDecimal(textOf(value)))
}

function readAddress(value: unknown): string | undefined {
  const key = fromAddress(value as string)
  if (key === undefined) return undefined
  // An address with the usual prefix needs no change; old forms are rewritten.
  return (value as string).startsWith('nano_') ? (value as string) : toAddress(key)
}

/** A flag in any accepted spelling; undefined for anything else. */
export function readFlag(value: unknown): boolean | undefined {
  const form = typeof value === 'string' ? value.toLowerCase() : value
  if (form === true || form === 1 || form === 'true' || form === '1') return true
  if (form === false || form === 0 || form === 'false' || form === '0') return false
  return undefined
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const UNITS: [RegExp, number][] = [
  [/^s(ec(ond)?s?)?$/, SECOND],
  [/^m(in(ute)?s?)?$/, MINUTE],
  [/^h((ou)?rs?)?$/, HOUR],
  [/^d(ays?)?$/, DAY],
  [/^w(eeks?)?$/, 7 * DAY],
  [/^mo(nths?)?$/, 30 * DAY],
  [/^y((ea)?rs?)?$/, 365 * DAY],
]

/** `2 hours`, `30d` or `1.5 h`, in milliseconds. */
function readDuration(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined
  const [, amount, name] = /^\s*([0-9]{1,9}(?:\.[0-9]{1,3})?)\s*([a-z]+)\s*$/i.exec(value) ?? []
  const unit = UNITS.find(([names]) => names.test((name ?? '').toLowerCase()))
  return unit && Math.round(Number(amount) * unit[1])
}

const METADATA_BYTES_MAX = 4_096
const METADATA_DEPTH_MAX = 4
const METADATA_KEYS_MAX = 50

/** Limited in size, because it is stored with a record and returned with it. */
function readMetadata(value: unknown): JsonObject | undefined {
  if (Buffer.byteLength(JSON.stringify(value)) > METADATA_BYTES_MAX) return undefined
  let keys = 0
  const fits = (part: unknown, depth: number): boolean => {
    if (typeof part !== 'object' || part === null) return true
    const members = Object.values(part)
    if (!Array.isArray(part)) keys += members.length
    return (
      depth <= METADATA_DEPTH_MAX && keys <= METADATA_KEYS_MAX && members.every((member) => fits(member, depth + 1))
    )
  }
  return fits(value, 1) ? (value as JsonObject) : undefined
}

interface FieldOptions {
  description: string
  examples?: unknown[]
  refusal: FieldRefusal
  reader?: ReaderName
}

function text(format: string, options: FieldOptions) {
  return Type.Unsafe<string>(Type.String({ format, ...options }))
}

/** A whole number as JSON number or decimal text. */
function whole(minimum: number, options: FieldOptions) {
  const pattern = minimum < 0 ? '^(-1|[0-9]{1,16})$' : '^[0-9]{1,16}$'
  const forms = [
    { type: 'integer', minimum, maximum: Number.MAX_SAFE_INTEGER },
    { type: 'string', pattern },
  ]
  return Type.Unsafe<number>({ anyOf: forms, reader: 'whole', ...options })
}

/** A decimal amount as text, or as a JSON number that prints as one. */
function amount(unit: 'nano' | 'raw', options: FieldOptions) {
  const forms = [
    { type: 'string', format: `${unit}-amount` },
    { type: 'number', minimum: 0 },
  ]
  return Type.Unsafe<Raw>({ anyOf: forms, reader: unit, ...options })
}

const ADDRESS = 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo'
const HASH = '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419'

export const LIST_ENTRIES_MAX = 1000

function list(options: FieldOptions) {
  return Type.Unsafe<string[]>(Type.Array(Type.String(), { maxItems: LIST_ENTRIES_MAX, ...options }))
}

/** Parts from which actions build their input. */
export const field = {
  /**
   * Without a format, because its reader checks it. Decoding an address twice would be most of the cost of a request.
   */
  account: Type.Unsafe<string>(
    Type.String({
      description: 'A ledger account: an address or `@username`.',
      examples: [ADDRESS],
      refusal: { text: 'Bad account number', code: 'invalid_account' },
      reader: 'address',
    }),
  ),
  accounts: list({
    description: `Up to ${LIST_ENTRIES_MAX} accounts.`,
    examples: [[ADDRESS]],
    refusal: { text: 'Bad account number', code: 'invalid_list' },
  }),
  hash: text('block-hash', {
    description: 'A block hash of 64 hexadecimal digits.',
    examples: [HASH],
    refusal: { text: 'Invalid block hash', code: 'invalid_hash' },
    reader: 'upper',
  }),
  /** Here the node has another message for a wrong hash. */
  head: text('block-hash', {
    description: 'The block to start with, instead of the newest of an account.',
    examples: [HASH],
    refusal: { text: 'Bad hash number', code: 'invalid_hash' },
    reader: 'upper',
  }),
  hashes: list({
    description: `Up to ${LIST_ENTRIES_MAX} block hashes.`,
    examples: [[HASH]],
    refusal: { text: 'Bad hash number', code: 'invalid_list' },
  }),
  publicKey: text('block-hash', {
    description: 'A public key of 64 hexadecimal digits.',
    refusal: { text: 'Bad public key', code: 'invalid_key_format' },
    reader: 'upper',
  }),
  root: text('election-root', {
    description: 'An election root of 128 hexadecimal digits.',
    refusal: { text: 'Invalid root hash', code: 'invalid_root' },
    reader: 'upper',
  }),
  count: whole(-1, {
    description: 'How many entries at most; `-1` returns as many as the server allows.',
    examples: ['10'],
    refusal: { text: 'Invalid count', code: 'invalid_count' },
  }),
  offset: whole(0, {
    description: 'How many entries to skip.',
    refusal: { text: 'Invalid offset', code: 'invalid_offset' },
  }),
  threshold: amount('raw', {
    description: 'Smallest amount in raw.',
    refusal: { text: 'Bad threshold number', code: 'invalid_threshold' },
  }),
  nanoAmount: amount('nano', {
    description: 'An amount in nano, a decimal with up to 30 places.',
    examples: ['1.5'],
    refusal: { text: 'Invalid amount number', code: 'invalid_amount' },
  }),
  rawAmount: amount('raw', {
    description: 'An amount in raw, a whole number.',
    examples: ['1000000000000000000000000000000'],
    refusal: { text: 'Invalid amount number', code: 'invalid_amount' },
  }),
  work: text('work-value', {
    description: 'A work value of 16 hexadecimal digits.',
    refusal: { text: 'Bad work', code: 'invalid_work' },
    reader: 'lower',
  }),
  difficulty: text('work-value', {
    description: 'A difficulty of 16 hexadecimal digits.',
    refusal: { text: 'Bad difficulty', code: 'invalid_difficulty' },
    reader: 'lower',
  }),
  multiplier: Type.Unsafe<number>({
    anyOf: [
      { type: 'string', format: 'multiplier' },
      { type: 'number', exclusiveMinimum: 0 },
    ],
    description: 'A difficulty as a multiple of the base difficulty.',
    refusal: { text: 'Bad multiplier', code: 'invalid_multiplier' },
    reader: 'multiplier',
  }),
  /** An amount in nano, or `all`. */
  nanoAmountOrAll: Type.Unsafe<Raw | 'all'>({
    anyOf: [
      { type: 'string', format: 'nano-amount' },
      { type: 'string', enum: ['all'] },
      { type: 'number', minimum: 0 },
    ],
    reader: 'nanoOrAll',
    description: 'An amount in nano, a decimal with up to 30 places, or `all`.',
    examples: ['1.5'],
    refusal: { text: 'Invalid amount number', code: 'invalid_amount' },
  }),
  duration: (description: string) =>
    Type.Unsafe<number>(
      Type.String({
        description,
        examples: ['90 days'],
        reader: 'duration',
        refusal: { text: 'Invalid duration: a number and a unit, for example 2 hours.', code: 'invalid_duration' },
      }),
    ),
  metadata: (description: string) =>
    Type.Unsafe<JsonObject>({
      type: 'object',
      description,
      examples: [{ order: 'A-1' }],
      reader: 'metadata',
      refusal: {
        text: `Invalid metadata: an object of up to ${METADATA_BYTES_MAX} bytes, ${METADATA_KEYS_MAX} members and ${METADATA_DEPTH_MAX} levels.`,
        code: 'invalid_metadata',
      },
    }),
  /** Without a schema on purpose: a node treats any other value as absent, and elsewhere the parser refuses it. */
  flag: (description: string) =>
    Type.Unsafe<boolean | undefined>({
      description,
      examples: [true],
      reader: 'flag',
    }),
  currency: Type.Unsafe<string>(
    Type.String({
      minLength: 1,
      maxLength: 12,
      description: 'Currency code, in upper or lower case.',
      examples: ['USD'],
      refusal: { text: 'Unknown currency.', code: 'invalid_currency' },
    }),
  ),
  /** A positive decimal as text, or as a JSON number that prints as one. */
  decimal: (description: string) =>
    Type.Unsafe<string>({
      anyOf: [{ type: 'string' }, { type: 'number', exclusiveMinimum: 0 }],
      description,
      examples: [10],
      reader: 'decimal',
      refusal: { text: 'Invalid amount number', code: 'invalid_amount' },
    }),
  /** An address on any ledger, whose form depends on the currency. */
  foreignAddress: (description: string) =>
    Type.Unsafe<string>(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description,
        examples: [ADDRESS],
        refusal: { text: 'Invalid address.', code: 'invalid_account' },
      }),
    ),
  id: (description: string) =>
    Type.Unsafe<string>(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description,
        refusal: { text: 'Invalid id.', code: 'invalid_request' },
      }),
    ),
  username: Type.Unsafe<string>(
    Type.String({
      // ASCII only, so that letters that merely look the same are refused.
      pattern: '^@?[A-Za-z0-9]{1,30}$',
      description: 'A username of 1 to 30 letters and digits, with or without `@`.',
      examples: ['alice'],
      reader: 'username',
      refusal: { text: 'Invalid username: 1 to 30 letters and digits.', code: 'invalid_username' },
    }),
  ),
  /** Empty counts as absent, as in a node. */
  subtype: Type.Unsafe<string>(
    Type.String({
      enum: ['send', 'receive', 'open', 'change', 'epoch', ''],
      description: 'What the block does: `send`, `receive`, `open`, `change` or `epoch`.',
      examples: ['send'],
      refusal: { text: 'Invalid block subtype', code: 'invalid_subtype' },
    }),
  ),
  block: Type.Unsafe<unknown>({
    anyOf: [{ type: 'object' }, { type: 'string' }],
    description: 'A block as an object, or as JSON in a string.',
    refusal: { text: 'Block is invalid', code: 'invalid_block' },
  }),
} as const

export const optional = Type.Optional

export const input = Type.Object
export type InputOf<S extends TSchema> = Static<S>
