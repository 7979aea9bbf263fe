import { Signer } from '../support/blocks.ts'
import type { SeededRandom } from '../support/random.ts'

/** The parts of our schemas from which values are made. */
export interface Schema {
  type?: string
  format?: string
  reader?: string
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  examples?: unknown[]
  minLength?: number
  maxLength?: number
  properties?: Record<string, Schema>
  required?: string[]
}

/** Ids and other values from answers, so that requests pass the first checks. */
export interface Pool {
  addresses: string[]
  hashes: string[]
  ids: string[]
}

const deep = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as unknown
const own = (text: string) => JSON.parse(text) as unknown

/** Values that often break programs. */
export const NASTY: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1,
  1.5,
  1e21,
  1e308,
  5e-324,
  -0.1,
  2 ** 53,
  2 ** 64,
  '',
  ' ',
  '0',
  '-0',
  '-1',
  '00',
  '1e3',
  '1e999',
  '.',
  '.5',
  '5.',
  '0x10',
  '１２',
  'NaN',
  'Infinity',
  'null',
  'undefined',
  '340282366920938463463374607431768211455',
  '340282366920938463463374607431768211456',
  '9'.repeat(400),
  `0.${'0'.repeat(29)}1`,
  `0.${'0'.repeat(30)}1`,
  'XX.XX',
  'x'.repeat(10_000),
  ' '.repeat(5_000),
  `${'a'.repeat(3_000)}!`,
  `${'1'.repeat(3_000)}.`,
  '\u0000',
  'a\u0000b',
  '\u202Egnp.exe',
  '\uD800',
  '\uFEFFx',
  '💸',
  'ß'.repeat(200),
  '\r\nSet-Cookie: a=b',
  'a@b.example\r\nBcc: c@d.example',
  '"a b"@example.org',
  `${'a'.repeat(300)}@example.org`,
  '=cmd|calc',
  '@SUM(1)',
  "' OR 1=1 --",
  '%s%n%x',
  '{{7*7}}${7*7}',
  '<script>alert(1)</script>',
  '../../../../etc/passwd',
  '%2e%2e%2f',
  'javascript:alert(1)',
  'http://127.0.0.1:1/',
  'http://[::1]/',
  'https://user:pass@example.org/',
  'data:text/html,x',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  own('{"__proto__":{"polluted":"yes"}}'),
  own('{"constructor":{"prototype":{"polluted":"yes"}}}'),
  { toString: 1, valueOf: null, length: -1 },
  [],
  {},
  [[]],
  [null],
  [{}],
  deep(15),
  deep(25),
  Array.from({ length: 1_000 }, () => '1'),
  Array.from({ length: 1_001 }, () => '1'),
  Array.from({ length: 50 }, (_, at) => at),
  'nano_1111111111111111111111111111111111111111111111111111hifc8npp',
  'nano_1111111111111111111111111111111111111111111111111111hifc8npq',
  'xrb_1111111111111111111111111111111111111111111111111111hifc8npp',
  '@alice',
  '@',
  '@__proto__',
  '0'.repeat(64),
  'F'.repeat(64),
  'f'.repeat(63),
  'g'.repeat(64),
  'F'.repeat(128),
  '0000000000000000',
  'ffffffffffffffff',
  '9999-99-99',
  '275760-09-14',
  '-271821-04-19',
  'last 99999999 years',
  '1 fortnight',
  '999999999 years',
  '0 s',
  '1.0005 h',
]

/** The same as text. */
export function nastyText(random: SeededRandom): string {
  const value = random.pick(NASTY)
  return (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed()
}

const OTHERS: readonly string[] = ['all', 'true', 'send', 'receive', 'nano', 'btc', 'xno', 'USD', 'EUR', 'last 30 days']

/** A value that the schema probably accepts. */
export function goodValue(random: SeededRandom, name: string, schema: Schema, pool: Pool): unknown {
  if (schema.enum) return random.pick(schema.enum)
  if (schema.examples && random.below(3) === 0) return random.pick(schema.examples)
  if (schema.anyOf) return goodValue(random, name, { ...random.pick(schema.anyOf), ...readerOf(schema) }, pool)
  return byReader(random, name, schema, pool) ?? byType(random, name, schema, pool)
}

const readerOf = ({ reader }: Schema) => (reader === undefined ? {} : { reader })

function byReader(random: SeededRandom, name: string, { reader, format }: Schema, pool: Pool): unknown {
  if (reader === 'address' || /address|^(account|representative|source|destination)$/.test(name)) {
    return random.pick(pool.addresses)
  }
  if (format === 'block-hash') return random.pick(pool.hashes)
  if (format === 'election-root') return random.hex(128)
  if (format === 'work-value') return random.hex(16)
  if (format === 'nano-amount' || reader === 'nanoOrAll') return random.pick(['0.001', '1', '2.5', '0.000001'])
  if (format === 'raw-amount') return random.bigint(100).toString()
  if (reader === 'flag') return random.pick([true, 'true', 1, '1', false, 'false'])
  if (reader === 'duration') return random.pick(['2 hours', '30d', '5 minutes'])
  if (reader === 'metadata') return { order: random.hex(4), [random.hex(2)]: random.below(9) }
  if (reader === 'whole') return random.pick([1, '2', 10])
  if (reader === 'multiplier') return random.pick(['1', 1.5])
  if (/vanity/.test(name)) return random.pick(['1', '3a'])
  if (/email|notify/.test(name)) return `p${random.below(1_000)}@example.org`
  if (/url$|^webhook$|image|website/.test(name)) return 'https://shop.example/a?b=c'
  if (/(^|_)id$|^template$/.test(name)) return random.pick(pool.ids)
  return undefined
}

function byType(random: SeededRandom, name: string, schema: Schema, pool: Pool): unknown {
  const { type, items = {}, properties = {}, maxLength = 20 } = schema
  if (type === 'array') {
    const inner = name === 'accounts' ? { reader: 'address' } : name === 'hashes' ? { format: 'block-hash' } : items
    return Array.from({ length: 1 + random.below(3) }, () => goodValue(random, name, inner, pool))
  }
  if (type === 'object') {
    return Object.fromEntries(
      Object.entries(properties).map(([member, inner]) => [member, goodValue(random, member, inner, pool)]),
    )
  }
  if (type === 'number' || type === 'integer') return random.below(100)
  if (type === 'boolean') return random.below(2) === 0
  return random.below(2) === 0 ? random.pick(OTHERS) : random.hex(Math.min(maxLength, 8))
}

export function firstPool(): Pool {
  return {
    addresses: [3, 4, 5].map((seed) => new Signer(seed).address),
    hashes: ['7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419', '0'.repeat(64)],
    ids: ['0123456789abcdef', 'evt_none', 'key_none', 'swp_none'],
  }
}

const KEPT = 200

/** Collects values from an answer. */
export function harvest(pool: Pool, text: string): void {
  const keep = (list: string[], found: RegExpMatchArray | null) => {
    for (const value of (found ?? []).slice(0, 3)) {
      if (!list.includes(value)) list.push(value)
      if (list.length > KEPT) list.splice(5, 1)
    }
  }
  keep(pool.addresses, text.match(/nano_[13][13456789abcdefghijkmnopqrstuwxyz]{59}/g))
  keep(pool.hashes, text.match(/\b[0-9A-F]{64}\b/g))
  keep(pool.ids, text.match(/(?<="id":")[0-9a-zA-Z_]{3,40}(?=")/g))
}
