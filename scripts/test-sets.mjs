// Which test files each run takes, and on which engines. The files are always the same; only the tests themselves vary with the seed.
import { isUnit } from './test-imports.mjs'

/**
 * Prefixes of paths that only a thorough run takes, because they take long for what they find: tests that build, pack, install, start and upgrade whole
 * programs, and tests of the commands in documents.
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

/** Tests about stores run on both engines every time. Modules and simulations do so only in a thorough run. */
const ABOUT_STORES = ['test/stores/']
/** Tests that call whole gateways and never see the store. A nightly run takes both engines. */
const ABOVE_STORES = ['test/spec/']

const beginsWith = (paths, file) => paths.some((path) => file.startsWith(path))

export const SETS = {
  /** Between two edits: tests without a server. */
  quick: (root, files) => files.filter((file) => isUnit(root, file)),
  /** Before a commit: everything that a change can break. */
  whole: (_root, files) => files.filter((file) => !beginsWith(LONG, file)),
  /** Before a merge into main. */
  thorough: (_root, files) => files,
}

/** The engine of a suite when all tests run; undefined means both. */
export function engineOf(set, files) {
  const isOnOne = set === 'whole' ? (file) => !beginsWith(ABOUT_STORES, file) : (file) => beginsWith(ABOVE_STORES, file)
  return files.every(isOnOne) ? 'sqlite' : undefined
}

/** Tests of the store that a thorough run repeats through PgBouncer in transaction mode. Tests about poolers start their own. */
export const behindPooler = (files) =>
  files.filter((file) => beginsWith(ABOUT_STORES, file) && file !== 'test/stores/pooler.test.ts')
