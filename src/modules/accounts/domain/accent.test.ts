import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { THEMES, accentSheet, coloursIn, contrast, toAccent } from './accent.ts'

const LEVELS = [0, 0x33, 0x66, 0x80, 0x99, 0xcc, 0xff]
const every = LEVELS.flatMap((red) =>
  LEVELS.flatMap((green) =>
    LEVELS.map((blue) => `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`),
  ),
)

test('whatever colour an account chooses, payers can read every text in light and dark', () => {
  for (const accent of every) {
    for (const [name, theme] of Object.entries(THEMES)) {
      const { accent: text, fill, fillInk, soft } = coloursIn(theme, accent)
      const pairs = [
        [text, theme.paper],
        [text, theme.panel],
        [text, soft],
        [fillInk, fill],
      ] as const
      for (const [one, other] of pairs)
        assert.ok(contrast(one, other) >= 4.5, `${accent} in ${name}: ${one.join()} on ${other.join()}`)
    }
  }
})

test('a colour that can be read is used as it is', () => {
  assert.deepEqual(coloursIn(THEMES.light, '#1a5fc7').accent, [0x1a, 0x5f, 0xc7])
  assert.deepEqual(coloursIn(THEMES.dark, '#7cb5ff').accent, [0x7c, 0xb5, 0xff])
  assert.match(accentSheet('#1a5fc7'), /^\.pay\{--accent:#1a5fc7;.*@media \(prefers-color-scheme:dark\)/)
})

test('the grounds it is compared with are those of the pages', () => {
  const sheet = readFileSync(join(import.meta.dirname, '../../../web/assets/gateway.css'), 'utf8')
  const written = (theme: 0 | 1) =>
    ['paper', 'panel', 'edge'].map(
      (name) => [...sheet.matchAll(new RegExp(`--${name}: (#[0-9a-f]{6})`, 'g'))].map(([, value]) => value)[theme],
    )
  const shown = ({ paper, panel, edge }: (typeof THEMES)['light']) => [
    ...[paper, panel].map((colour) => `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`),
    edge,
  ]
  assert.deepEqual([shown(THEMES.light), shown(THEMES.dark)], [written(0), written(1)])
})

test('colours are read as people write them, and nothing else is', () => {
  assert.deepEqual(['#1A5FC7', '1a5fc7', ' #fa0 '].map(toAccent), ['#1a5fc7', '#1a5fc7', '#ffaa00'])
  for (const text of ['red', '#12345', 'url(x)', '#1a5fc7;}']) assert.equal(toAccent(text), undefined, text)
})
