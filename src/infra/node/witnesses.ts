import { noNode } from '../../kernel/errors.ts'
import type { AgreementRules } from './agreement.ts'
import { toFailure } from './failure.ts'
import type { UpstreamPool } from './pool.ts'
import type { Upstream } from './upstream.ts'

interface Witnesses {
  pool: Pick<UpstreamPool, 'order' | 'upstreams'>
  rules: AgreementRules
}

/** How many nodes must agree on anything other than a payment of a known amount. */
export function leastWitnesses({ pool, rules }: Witnesses): number {
  return isAlone({ pool, rules }) ? 1 : rules.nodes
}

/** Whether only one node is left and the settings allow that. */
export const isAlone = ({ pool, rules }: Witnesses): boolean =>
  rules.alone === 'allow' && pool.upstreams.filter(({ healthy }) => healthy).length === 1

/**
 * Asks as many nodes as must agree, all at once, the best for the key first. After each round, asks as many more as
 * `countMissing` returns. Throws if no node answers.
 */
export async function askWitnesses(
  { pool, rules }: Witnesses,
  key: string,
  ask: (witness: Upstream) => Promise<void>,
  countMissing: () => number | Promise<number>,
): Promise<void> {
  const witnesses = pool.order(key).filter(({ healthy }) => healthy)
  let isAnswered = false
  let failure: unknown = new Error('No node is well.')
  for (let wanted = rules.nodes; wanted > 0 && witnesses.length > 0; wanted = await countMissing()) {
    await Promise.all(
      witnesses.splice(0, wanted).map(async (witness) => {
        try {
          await ask(witness)
          isAnswered = true
        } catch (error) {
          failure = error
        }
      }),
    )
  }
  if (!isAnswered) throw noNode(toFailure(failure))
}
