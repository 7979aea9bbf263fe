import type { Handler } from '../handler.ts'

/** Forgets an unconfirmed block and everything built on it. */
export const devnetDrop: Handler = async (node, request) => ({ dropped: await node.drop(request.hash()) })
