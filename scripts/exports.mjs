// Finds what the sources export and who imports it, by reading their text: this codebase writes imports and exports in only a few ways.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const DECLARED =
  /^export (?:default )?(?:abstract )?(?:async )?(function\*?|const|let|class|interface|type|enum) (\w+)/gm
const TAKEN_APART = /^export const \{([^}]*)\} =/gm
const LISTED = /^export (?:type )?\{([^}]*)\}(?: from '([^']+)')?/gm
const IMPORTED = /^import (?:type )?(?:(\w+)(?:, )?)?(?:\{([^}]*)\})? ?from '(\.[^']+)'/gm
/** Imports of a whole file, static or dynamic. Every export whose name occurs in the importing file counts as used. */
const WHOLE = /(?:^(?:import|export) \* (?:as \w+ )?from|\bimport\(|new URL\()\s*'(\.[^']+)'/gm
const FOLDERS = ['src', 'test', 'bench', 'demo', 'scripts', 'packages', 'bin']

/** In `a as b`, the exporting file knows `a` and its importers know `b`. */
const namesOf = (list, which) =>
  list
    .split(',')
    .map((entry) => entry.trim().replace(/^type /, ''))
    .filter(Boolean)
    .map((entry) => entry.split(/ as |: /).at(which))

function listFiles(root) {
  return FOLDERS.filter((folder) => existsSync(join(root, folder))).flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && /\.(?:tsx?|mjs|cjs)$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
      .filter((file) => !file.includes('node_modules/') && !file.includes('/dist/')),
  )
}

/** All names that a file's text exports, optionally without types. */
export function exportsOf(text, { types = true } = {}) {
  return [
    ...[...text.matchAll(DECLARED)]
      .filter(([, kind]) => types || !/^(?:interface|type)$/.test(kind))
      .map(([, , name]) => name),
    ...[...text.matchAll(TAKEN_APART)].flatMap(([, list]) => namesOf(list, -1)),
    ...[...text.matchAll(LISTED)].flatMap(([, list]) => namesOf(list, -1)),
  ]
}

/** `{ 'src/file.ts': ['name'] }`: exports that no other file imports. Types are left out, because the compiler may need their names in other declarations. */
export function findUnusedExports(root) {
  const { files, used } = readUses(root)
  const unused = files
    .filter((file) => file.startsWith('src/') && !isFace(file))
    .map((file) => [
      file,
      exportsOf(readFileSync(join(root, file), 'utf8'), { types: false }).filter((name) => !used.get(file).has(name)),
    ])
  return Object.fromEntries(unused.filter(([, names]) => names.length > 0))
}

/** How many exports of these files, types included, exactly one of these files imports. */
export function countWithOneImporter(root, sources) {
  const { used } = readUses(root)
  const own = new Set(sources)
  const importersOf = (file, name) => [...(used.get(file).get(name) ?? [])].filter((importer) => own.has(importer))
  return sources.reduce((total, file) => {
    const names = exportsOf(readFileSync(join(root, file), 'utf8'))
    return total + names.filter((name) => importersOf(file, name).length === 1).length
  }, 0)
}

/** For each file, which of its names are imported by which files. */
function readUses(root) {
  const files = listFiles(root)
  const used = new Map(files.map((file) => [file, new Map()]))
  const use = (from, path, names) => {
    const target = used.get(join(dirname(from), path).replaceAll('\\', '/'))
    for (const name of names) target?.set(name, (target.get(name) ?? new Set()).add(from))
  }
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8')
    for (const [, byDefault, list = '', path] of text.matchAll(IMPORTED)) {
      use(file, path, [...(byDefault ? [byDefault, 'default'] : []), ...namesOf(list, 0)])
    }
    for (const [, list, path] of text.matchAll(LISTED)) if (path) use(file, path, namesOf(list, 0))
    for (const [, path] of text.matchAll(WHOLE)) use(file, path, text.match(/\w+/g))
  }
  return { files, used }
}

/** Files that other programs import. */
const isFace = (file) =>
  /^src\/(?:exports\/|(?:client\/(?:index|x402)|medusa\/index)\.ts|testing\/(?:index|node-test|playwright|vitest)\.ts)/.test(
    file,
  )
