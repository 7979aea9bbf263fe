import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** An empty folder, deleted when the test ends. */
export function openFolder(t: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The readable files in a folder, without sockets. */
export const listFiles = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => join(folder, name))
