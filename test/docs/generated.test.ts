import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { describeConfig } from '../../src/config/config.ts'
import { Guides } from '../../src/http/docs/guides.ts'
import { openFolder } from '../support/folder.ts'
import { openGateway, readMetrics } from '../support/gateway.ts'
import { read, root } from './documents.ts'
import { runScript, tools } from './shell.ts'

/* Parts of the documents are generated from the code: `WRITE=1 node scripts/test.mjs test/docs/generated.test.ts` writes them. */

/** Compares the text between two markers of a page, or writes it. */
function assertSays(page: string, [begin, end]: readonly [string, string], wanted: string): void {
  const text = read(page)
  const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)]
  assert.ok(from > begin.length - 1 && to > from, `${page} has the marks ${begin}`)
  if (process.env.WRITE === '1') writeFileSync(join(root, page), `${text.slice(0, from)}\n${wanted}\n${text.slice(to)}`)
  else assert.equal(text.slice(from, to), `\n${wanted}\n`, `WRITE=1 writes ${page}`)
}

const inCell = (text: string) => text.replaceAll('|', '\\|')

test('the table of settings is that of the code', () => {
  const rows = describeConfig({}).map(
    ({ name, default: usual, meaning }) => `| \`${name}\` | ${usual === '' ? '–' : `\`${usual}\``} | ${meaning} |`,
  )
  const table = ['| setting | default | meaning |', '|---|---|---|', ...rows].join('\n')
  assertSays('docs/operating.md', ['<!-- settings -->', '<!-- /settings -->'], table)
})

test('the table of metrics is what a gateway exposes', async (t) => {
  const text = await readMetrics(await openGateway(t))
  const rows = [...text.matchAll(/^# HELP (gateway_\w+) (.*)$/gm)].map(
    ([, name, help = '']) => `| \`${name}\` | ${inCell(help)} |`,
  )
  const table = ['| metric | meaning |', '|---|---|', ...rows.sort()].join('\n')
  assertSays('docs/operating/monitoring.md', ['<!-- metrics -->', '<!-- /metrics -->'], table)
})

test('the guides stay short enough to be read: 3,100 lines without tables that are generated', () => {
  const guides = new Guides(new URL('../../docs/', import.meta.url)).list().filter(({ group }) => group !== 'Reference')
  const lines = guides.map(({ path }) => {
    const own = read(`docs/${path}.md`).replaceAll(/<!-- (\w+)[^>]*-->[^]*?<!-- (?:\/\1|\1 end) -->/g, '')
    // Its table is written by test/gallery.
    return (path === 'clients' ? own.replaceAll(/^\| \[.*\n/gm, '') : own).split('\n').length - 1
  })
  assert.ok(guides.length > 30)
  const total = lines.reduce((sum, count) => sum + count, 0)
  assert.ok(total <= 3100, `${total} lines: shorten a guide, or link to the page that says it already`)
})

interface Help {
  usage: string
  about: string
  options: string[]
  commands: string[]
}

const ITSELF = new Set(['-h, --help', '-V, --version', '--json'])

/** Reads what `--help` prints. */
function readHelp(text: string): Help {
  const [, usage = ''] = /^Usage: (.*)$/m.exec(text) ?? []
  const [, about = ''] = /^Usage: .*\n\n([^]*?)\n\n/.exec(text) ?? []
  const section = (name: string) => new RegExp(`^${name}:\\n((?: {2}.*\\n?)+)`, 'm').exec(text)?.[1] ?? ''
  const entries = (name: string) =>
    section(name)
      .replaceAll(/\n {4,}/g, ' ')
      .split('\n')
      .flatMap((line): [string, string][] => {
        const [, term = '', meaning = ''] = /^ {2}(\S.*?) {2,}(.*)$/.exec(line) ?? []
        return term === '' ? [] : [[term, meaning]]
      })
  return {
    usage: usage.replace(' [options]', '').replace(/\|\w+/, ''),
    about: about.replaceAll('\n', ' '),
    options: entries('Options').flatMap(([term, meaning]) => (ITSELF.has(term) ? [] : [`\`${term}\` ${meaning}`])),
    commands: entries('Commands').flatMap(([term]) => (/^help\b/.test(term) ? [] : [/^[\w-]+/.exec(term)![0]])),
  }
}

test('the page of commands is what --help says', async (t) => {
  const cwd = openFolder(t)
  const mark = '-----8<-----'
  const helpOf = async (commands: string[]) => {
    // Wide enough that no line is wrapped.
    const script = commands.map((words) => `npx nano-gateway ${words} --help; echo '${mark}'`).join('\n')
    const { output, code } = await runScript(t, script, cwd, { ...tools, COLUMNS: '1000' })
    assert.equal(code, 0, output)
    return output.split(`${mark}\n`).slice(0, -1).map(readHelp)
  }
  const [all] = await helpOf([''])
  const groups = await helpOf(all!.commands)
  const inner = groups.map(({ commands }, at) => commands.map((name) => `${all!.commands[at]} ${name}`))
  const leaves = await helpOf(inner.flat())
  const row = ({ usage, about, options }: Help) =>
    `| \`${usage.replace('nano-gateway ', '')}\` | ${inCell(about)} | ${inCell(options.join('; '))} |`
  const sections = groups.map((group, at) => {
    const own = leaves.splice(0, inner[at]!.length)
    const rows = group.usage.endsWith('[command]') && group.options.length === 0 ? own : [group, ...own]
    return `## ${all!.commands[at]}\n\n| command | what it does | options |\n|---|---|---|\n${rows.map(row).join('\n')}\n`
  })
  assertSays('docs/commands.md', ['<!-- commands -->', '<!-- /commands -->'], `\n${sections.join('\n')}`)
})

test('the page of errors has every code once, with its status', () => {
  const rows = [...read('docs/errors.md').matchAll(/^\| `(\w+)` \| (\d+) \| .{5,} \| .{3,} \|$/gm)]
  const codes = [...read('src/kernel/errors.ts').matchAll(/^ {2}(\w+): (\d{3}),$/gm)]
  const pairs = (found: RegExpExecArray[]) => found.map(([, code, status]) => `${code} ${status}`).sort()
  assert.ok(codes.length > 80)
  assert.deepEqual(pairs(rows), pairs(codes))
})
