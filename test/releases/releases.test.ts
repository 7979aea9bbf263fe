import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { VERSION } from '../../src/version.ts'
import { currentLines, toLines } from './api-lines.ts'
import { findBreaking } from './breaking.ts'

/* The changes that docs/versions.md allows a release, compared with the previous release's API. */

const root = resolve(import.meta.dirname, '../..')
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
const numbersOf = (version: string) => version.split('.').map(Number) as [number, number, number]
const compare = (a: string, b: string) => {
  const [x, y] = [numbersOf(a), numbersOf(b)]
  const at = x.findIndex((number, place) => number !== y[place])
  return at < 0 ? 0 : x[at]! - y[at]!
}

/** The next version while the changelog has a section for it without a date, otherwise that of the package. */
const CURRENT = /^## (\d+\.\d+\.\d+)$/m.exec(changelog)?.[1] ?? VERSION

/** The latest version before this one with a stored API. */
function lastRelease(): { version: string; lines: string[] } {
  const versions = readdirSync(import.meta.dirname)
    .flatMap((name) => /^api-(.+)\.txt$/.exec(name)?.[1] ?? [])
    .filter((version) => compare(version, CURRENT) < 0)
  const version = versions.sort(compare).at(-1)!
  return {
    version,
    lines: readFileSync(join(import.meta.dirname, `api-${version}.txt`), 'utf8')
      .trim()
      .split('\n'),
  }
}

/** A name of the changelog as it covers fields of the API: `get* > status` is each `status` that these answer, at any depth, with its members. */
function toPattern(name: string): RegExp {
  const [operation = '', direction = '', field = ''] = name
    .split(' ')
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '\\S*'))
  const exact = `^${operation} ${direction}${field && ` ${field}`}$`
  return new RegExp(name.includes('*') ? `^${operation} ${direction} (\\S+\\.)?${field}([.[]\\S*)?$` : exact)
}

interface Section {
  version: string
  date: string
  text: string
}

const sections = [...changelog.matchAll(/^## (\S+), (\S+)\n([^]*?)(?=^## |(?![^]))/gm)].map(
  ([, version = '', date = '', text = '']): Section => ({ version, date, text }),
)

test('a client of the last release finds every breaking change of this one in the changelog', () => {
  const last = lastRelease()
  const breaking = findBreaking(last.lines, currentLines())
  const [, list = ''] = /^### Breaking\n([^]*?)(?=^### |^## |(?![^]))/m.exec(changelog) ?? []
  const named = [...list.matchAll(/`(\S+ [<>] \S+|[A-Z]+ \/\S*)`/g)].map(([, name]) => toPattern(name!))
  const unnamed = breaking.filter(({ name }) => !named.some((pattern) => pattern.test(name)))
  assert.deepEqual(
    unnamed.map(({ name, what }) => `\`${name}\` ${what}`),
    [],
    `name these under "### Breaking" of ${CURRENT} in CHANGELOG.md, or keep what ${last.version} promised`,
  )
  assert.deepEqual(
    named.filter((pattern) => !breaking.some((each) => pattern.test(each.name))),
    [],
    'the changelog names only what breaks',
  )
  const [major, minor] = numbersOf(CURRENT)
  const [lastMajor, lastMinor] = numbersOf(last.version)
  const mayBreak = major > lastMajor || (major === 0 && minor > lastMinor)
  assert.ok(breaking.length === 0 || mayBreak, `${CURRENT} after ${last.version} may break nothing`)
})

test('every version of the changelog has a date, newest first, and the first is that of the package', () => {
  assert.equal(sections[0]!.version, VERSION)
  const [first, ...headings] = changelog.match(/^## .*$/gm)!
  const isNext = /^## \d+\.\d+\.\d+$/.test(first)
  assert.equal(sections.length, headings.length + (isNext ? 0 : 1), 'only what comes next has no date')
  for (const { version, date, text } of sections) {
    assert.match(version, /^\d+\.\d+\.\d+$/)
    assert.match(date, /^\d{4}-\d\d-\d\d$/)
    assert.ok(text.trim().length > 0, version)
  }
  const versions = sections.map(({ version }) => version)
  assert.deepEqual(versions, [...versions].sort(compare).reverse())
})

const before = toLines({
  paths: { '/': { post: {} }, '/more': { get: {} } },
  components: {
    schemas: {
      pay: {
        required: ['action', 'to'],
        properties: {
          action: { enum: ['pay', 'give'] },
          to: { type: 'string' },
          speed: { enum: ['fast', 'slow'] },
          note: {},
          count: { type: 'integer', maximum: 10 },
          plan: { type: 'object', required: ['title'], properties: { title: { type: 'string' } } },
        },
      },
      'pay.answer': {
        type: 'object',
        required: ['hash', 'state'],
        properties: {
          hash: { type: 'string', pattern: '^[0-9A-F]{64}$' },
          state: { type: 'string', enum: ['sent', 'held'] },
          fee: { type: 'string' },
          parts: { type: 'array', items: { type: 'object', properties: { raw: { type: 'string' } } } },
        },
      },
    },
  },
})
const changed = (from: string | RegExp, to: string) => {
  const after = before.map((line) => line.replace(from, to)).filter((line) => line !== '')
  assert.notDeepEqual(after, before, `${from} is there`)
  return findBreaking(before, after).map(({ name, what }) => `${name} ${what}`)
}
const added = (...lines: string[]) =>
  findBreaking(before, [...before, ...lines]).map(({ name, what }) => `${name} ${what}`)

test('breaking changes are found: removed, newly required, no longer accepted, missing, or of another type', () => {
  assert.deepEqual(changed(/^GET \/more endpoint$/, ''), ['GET /more is gone'])
  assert.deepEqual(changed(/^pay < note .*$/, ''), ['pay < note is gone'])
  assert.deepEqual(changed('"give" | ', ''), ['pay < action is taken no longer as "give"'])
  assert.deepEqual(changed('pay < note anything', 'pay < note! anything'), ['pay < note must be given'])
  assert.deepEqual(changed('pay < to! string', 'pay < to! integer'), ['pay < to is taken no longer as string'])
  assert.deepEqual(changed('"fast" | "slow"', '"fast"'), ['pay < speed is taken no longer as "slow"'])
  assert.deepEqual(changed('maximum=10', 'maximum=5'), ['pay < count is taken no longer as integer maximum=10'])
  assert.deepEqual(changed(/^pay > fee .*$/, ''), ['pay > fee is gone'])
  assert.deepEqual(changed('pay > hash!', 'pay > hash'), ['pay > hash may be missing'])
  assert.deepEqual(changed('pay > fee string', 'pay > fee null | string'), ['pay > fee may be null'])
  assert.deepEqual(changed('"held" | "sent"', '"held" | "lost" | "sent"'), ['pay > state may be "lost"'])
  assert.deepEqual(changed('{64}$', '{32}$'), ['pay > hash may be string ~^[0-9A-F]{32}$'])
  assert.deepEqual(changed('pay > parts[].raw string', 'pay > parts[].raw number'), ['pay > parts[].raw may be number'])
  assert.deepEqual(added('pay < purse! string'), ['pay < purse must be given'])
  assert.deepEqual(added('pay < plan.price! string'), ['pay < plan.price must be given'])
})

test('compatible changes pass: more actions, fields and accepted values', () => {
  assert.deepEqual(added('take < action! "take"', 'take < from! string', 'take > . object'), [])
  assert.deepEqual(added('pay < hurry anything', 'pay < plan.price string', 'pay > more! string'), [])
  assert.deepEqual(changed('pay < to! string', 'pay < to string'), [])
  assert.deepEqual(changed('pay < note anything', 'pay < note string'), [], 'a type that was left unsaid')
  assert.deepEqual(changed('"fast" | "slow"', '"fast" | "none" | "slow"'), [])
  assert.deepEqual(changed('integer maximum=10', 'integer'), [])
  assert.deepEqual(changed('pay > fee string', 'pay > fee! string ~^[0-9]+$'), [])
  assert.deepEqual(changed('"held" | "sent"', '"sent"'), [])
})
