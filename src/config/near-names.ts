import { openNearest } from '../kernel/nearest-name.ts'

/** Names that other software sets and that happen to look like ours. */
const OF_OTHERS = new Set(['APP_URL', 'INSTANCE_ID', 'NODE_ARGS'])

/** What Kubernetes and linked containers set for each of their services, whatever its name. */
const OF_SERVICES = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP)(_(PROTO|PORT|ADDR))?)$/
const SERVICE_ADDRESS = /^(tcp|udp):\/\//

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
  const nearest = openNearest(ours)
  return Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined || known.has(name) || OF_SERVICES.test(name)) return []
    if (name.endsWith('_PORT') && SERVICE_ADDRESS.test(value)) return []
    const meant = nearest(name)
    return meant === undefined ? [] : [{ name, meant }]
  })
}
