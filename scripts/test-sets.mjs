// Which test files each run takes, and on which engines: the same ones every time. What varies with the seed varies inside of tests.
import { isUnit } from './test-imports.mjs'

/** By the beginning of their paths: what takes long beside what it finds first, and is left to a thorough run. */
const LONG = ['test/chaos/', 'test/gallery/', 'test/hostile/fuzz', 'test/integrations/', 'test/medusa/', 'test/power/']

/** Where a store is what the tests are about: these run on both engines every time, what lies above them in a thorough run. */
const ABOUT_STORES = ['test/stores/']

const beginsWith = (paths, file) => paths.some((path) => file.startsWith(path))

export const SETS = {
  /** Between two edits: what needs no server. */
  quick: (root, files) => files.filter((file) => isUnit(root, file)),
  /** Before a commit: everything that a change can break. */
  whole: (_root, files) => files.filter((file) => !beginsWith(LONG, file)),
  /** Before a landing. */
  thorough: (_root, files) => files,
}

/** The engine of a suite in a run of everything; both where none is named. */
export const engineOf = (set, files) =>
  set === 'whole' && !files.some((file) => beginsWith(ABOUT_STORES, file)) ? 'sqlite' : undefined
