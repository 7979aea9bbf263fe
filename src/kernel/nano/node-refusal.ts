import { LedgerRefusal } from '../errors.ts'

/** A refusal in the node's own words: the text is the whole answer. */
export class NodeRefusal extends LedgerRefusal {}

export const refusal = (text: string) => new NodeRefusal(text)

/** The texts that more than one action uses. */
export const badAccount = () => refusal('Bad account number')
export const accountNotFound = () => refusal('Account not found')
export const blockNotFound = () => refusal('Block not found')
export const invalidBlock = () => refusal('Block is invalid')
export const invalidBlockHash = () => refusal('Invalid block hash')
export const badHashNumber = () => refusal('Bad hash number')
