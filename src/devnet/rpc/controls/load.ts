import { findMember } from '../../../kernel/nano/request-tree.ts'
import { refusal } from '../../../kernel/nano/node-refusal.ts'
import { loadState } from '../../state.ts'
import type { Handler } from '../handler.ts'

/** Puts a dumped ledger in the place of this one, all of it or nothing. */
export const devnetLoad: Handler = async (node, request) => {
  const state = findMember(request.tree, 'state')
  if (!state) throw refusal('state is missing')
  return { blocks: `${await loadState(node, state)}` }
}
