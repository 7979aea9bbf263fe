import { readFileSync, readdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../..')

/** A fenced block of a document. */
export interface Block {
  page: string
  /** The info string after the three backticks. */
  fence: string
  code: string
  line: number
}

function listFiles(folder: string, pattern: RegExp): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort()
}

/** Every document of the repository. */
export const pages: readonly string[] = [
  ...readdirSync(root)
    .filter((name) => name.endsWith('.md'))
    .sort(),
  ...['docs', 'src', 'deploy', 'examples'].flatMap((folder) => listFiles(folder, /\.md$/)),
]

/** Files that begin with a usage comment. */
export const headed: readonly string[] = ['deploy', 'examples'].flatMap((folder) =>
  listFiles(folder, /\.(mjs|yaml|conf|service|example)$|^Containerfile$/),
)

export const read = (file: string) => readFileSync(join(root, file), 'utf8')

export function blocksOf(page: string): Block[] {
  const source = read(page)
  return [...source.matchAll(/^```([^\n]*)\n([^]*?)^```$/gm)].map(({ 1: fence = '', 2: code = '', index }) => ({
    page,
    fence: fence.trim(),
    code,
    line: source.slice(0, index).split('\n').length,
  }))
}

/** All blocks with this fence. */
export const blocksWith = (fence: string): Block[] => pages.flatMap(blocksOf).filter((block) => block.fence === fence)

/** The commands of a block without comments; continued lines are joined. */
export function commandsOf(code: string): string[] {
  return code
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) =>
      line
        .replace(/\s+# .*$/, '')
        .replaceAll(/ {2,}/g, ' ')
        .trim(),
    )
    .filter((line) => line !== '')
}

/** The indented commands in the comment at the top of a file. */
export function headCommandsOf(file: string): string[] {
  const [, commented = ''] = /^(?:\/\*\n)?((?: ?[#*].*\n)+)/.exec(read(file)) ?? []
  return commented
    .split('\n')
    .flatMap((line) => /^ ?[#*] {2,}(\S.*)$/.exec(line)?.[1] ?? [])
    .map((line) => line.replace(/\s+#.*$| {3,}.*$/, '').trim())
}

/** Our commands quoted inside sentences. */
export function quotedCommands(): { page: string; command: string }[] {
  return [...pages, ...headed].flatMap((page) =>
    [...read(page).matchAll(/`((?:npm|npx) [^`\n]+)`/g)].map(({ 1: command = '' }) => ({ page, command })),
  )
}
