/** Names that other software sets and that happen to look like ours. */
const OF_OTHERS = new Set(['APP_URL', 'INSTANCE_ID', 'NODE_ARGS'])

/** What Kubernetes and linked containers set for each of their services, whatever its name. */
const OF_SERVICES = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP)(_(PROTO|PORT|ADDR))?)$/
const SERVICE_ADDRESS = /^(tcp|udp):\/\//

/** Below this length a name is a word like any other (`PORT`, `HOST`): another letter makes another word (`POST`). */
const WORD_LENGTH = 6
/** Below this length two replaced letters make another name (`SMTP_URL`, `SITE_URL`). */
const LONG_LENGTH = 8

/** A name that is not ours, and the one of ours it was probably meant to be. */
export interface NearName {
  name: string
  meant: string
}

/** Finds names of the environment that differ from one of ours in case, underscores, or one or two letters. */
export function findNearNames(
  env: Readonly<Record<string, string | undefined>>,
  { ours, ignored }: { ours: readonly string[]; ignored: readonly string[] },
): NearName[] {
  const known = new Set([...ours, ...ignored, ...OF_OTHERS])
  return Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined || known.has(name) || OF_SERVICES.test(name)) return []
    if (name.endsWith('_PORT') && SERVICE_ADDRESS.test(value)) return []
    const meant = nearest(name, ours)
    return meant === undefined ? [] : [{ name, meant }]
  })
}

function nearest(name: string, ours: readonly string[]): string | undefined {
  const given = plain(name)
  let found: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const own of ours) {
    const distance = distanceOf(given, plain(own))
    if (distance <= allowed(plain(own).length) && distance < least) [found, least] = [own, distance]
  }
  return found
}

const plain = (name: string) => name.toUpperCase().replaceAll('_', '')
const allowed = (length: number) => (length >= WORD_LENGTH ? 2 : 1)

/** Letters that were added, left out, replaced or swapped with their neighbour. */
function distanceOf(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY
  const replacing = b.length < LONG_LENGTH ? 2 : 1
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const line = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      let least = Math.min(above[column - 1]! + (same ? 0 : replacing), above[column]! + 1, line[column - 1]! + 1)
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (swapped) least = Math.min(least, before[column - 2]! + 1)
      line.push(least)
    }
    ;[before, above] = [above, line]
  }
  return above[b.length]!
}
