// Which test files each run takes, and on which engines: the same ones every time. What varies with the seed varies inside of tests.
import { isUnit } from './test-imports.mjs'

/**
 * By the beginning of their paths: what takes long beside what it finds first, and is left to a thorough run. Whole programs that are built, packed,
 * installed, started and replaced; and what documents say to type.
 */
const LONG = [
  'test/chaos/',
  'test/client/package',
  'test/client/types',
  'test/cluster/patroni',
  'test/cluster/rolling-restart',
  'test/cluster/upgrade',
  'test/docs/commands',
  'test/docs/contributing',
  'test/docs/generated-client',
  'test/docs/generators',
  'test/docs/going-live',
  'test/docs/operators',
  'test/docs/receivers',
  'test/docs/servers',
  'test/docs/start',
  'test/gallery/',
  'test/hostile/fuzz',
  'test/http/openapi-lint',
  'test/integrations/',
  'test/medusa/',
  'test/package/',
  'test/power/',
  'test/releases/release.test',
  'test/scenario/',
  'test/start/processes',
  'test/testing/package',
]

/** Where a store is what the tests are about: these run on both engines every time, modules and simulations in a thorough run. */
const ABOUT_STORES = ['test/stores/']
/** What asks whole gateways and sees no store: a nightly run takes both engines here too. */
const ABOVE_STORES = ['test/spec/']

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
export function engineOf(set, files) {
  const isOnOne = set === 'whole' ? (file) => !beginsWith(ABOUT_STORES, file) : (file) => beginsWith(ABOVE_STORES, file)
  return files.every(isOnOne) ? 'sqlite' : undefined
}

/** Tests of the store that run once more before a landing, through PgBouncer by transaction. What is about poolers starts its own. */
export const behindPooler = (files) =>
  files.filter((file) => beginsWith(ABOUT_STORES, file) && file !== 'test/stores/pooler.test.ts')
