import { refusal } from '../../../kernel/nano/node-refusal.ts'
import { EVERY_ACTION, FAULT_KINDS, WEBSOCKET } from '../../faults.ts'
import { setFault } from '../../set-fault.ts'
import type { Handler } from '../handler.ts'
import { findWhole, requireText } from './fields.ts'

const HOUR = 3_600_000
const COUNT_MAX = 1_000_000_000

/**
 * Lets something go wrong with an action, with every one (`*`) or with the websocket; a count of 0 ends it. The field is
 * called `target`, because `action` is this action.
 */
export const devnetFault =
  (isAction: (name: string) => boolean): Handler =>
  async (node, request) => {
    const target = requireText(request, 'target')
    if (target !== EVERY_ACTION && target !== WEBSOCKET && !isAction(target)) {
      throw refusal(`target must be an action of a node, ${EVERY_ACTION} or ${WEBSOCKET}`)
    }
    const left = findWhole(request, 'count', COUNT_MAX)
    if (left === 0) {
      await setFault(node, target, undefined)
      return { success: '' }
    }
    const text = requireText(request, 'kind')
    const kind = FAULT_KINDS.find((each) => each === text)
    if (!kind) throw refusal(`kind must be one of ${FAULT_KINDS.join(', ')}`)
    if (target === WEBSOCKET && kind !== 'delay' && kind !== 'drop') {
      throw refusal('kind must be delay or drop for the websocket')
    }
    const milliseconds = findWhole(request, 'ms', HOUR)
    if (milliseconds === undefined && (kind === 'delay' || kind === 'lag')) throw refusal('ms is missing')
    await setFault(node, target, { kind, milliseconds: milliseconds ?? 0, ...(left !== undefined && { left }) })
    return { success: '' }
  }
