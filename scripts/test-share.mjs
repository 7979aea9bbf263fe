// Which of the tests one run at a desk takes, and on which engine.

/**
 * Of what spans the house, one file in so many runs at a desk; every test that lies beside a module does. What starts browsers, packages and
 * many processes takes the longest and is broken the least.
 */
const ONE_IN = {
  'test/chaos/': 4,
  'test/client/': 4,
  'test/cluster/': 4,
  'test/demo/': 4,
  'test/devnet/': 5,
  'test/docs/': 6,
  'test/failures/': 3,
  'test/gallery/': 5,
  'test/hostile/': 5,
  'test/http/': 4,
  'test/integrations/': 3,
  'test/medusa/': 4,
  'test/node/': 6,
  'test/package/': 4,
  'test/pages/': 8,
  'test/power/': 4,
  'test/releases/': 4,
  'test/scenario/': 4,
  'test/shared/': 3,
  'test/sim/': 4,
  'test/spec/': 5,
  'test/start/': 6,
  'test/stores/': 5,
  'test/testing/': 4,
  'test/work/': 3,
}

const ENGINES = ['sqlite', 'postgres']

/** The share of this seed: as many seeds in a row as the longest row of the table says come by every file. */
export function drawShare(files, seed) {
  const seen = new Map()
  const drawn = []
  const left = []
  for (const file of files) {
    const folder = Object.keys(ONE_IN).find((prefix) => file.startsWith(prefix))
    const at = seen.get(folder) ?? 0
    seen.set(folder, at + 1)
    const isDrawn = folder === undefined || (at + seed) % ONE_IN[folder] === 0
    ;(isDrawn ? drawn : left).push(file)
  }
  return { drawn, left }
}

/** One engine for a suite, the other one for the next, and the other way around with the next seed. */
export const engineOf = (at, seed) => ENGINES[(at + seed) % ENGINES.length]
