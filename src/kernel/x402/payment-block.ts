import type { Raw } from '../money.ts'
import { RAW_MAX } from '../money.ts'
import { fromAddress, toAddress } from '../nano/address.ts'
import { type StateBlock, hashBlock, rootOf } from '../nano/block.ts'
import { isHex } from '../nano/hex.ts'
import { verifyHash } from '../nano/keys.ts'
import { workValue } from '../nano/work.ts'
import { ASSET, type PaymentPayload, type PaymentTerms, type Reason, SCHEME, X402_VERSION, toMembers } from './wire.ts'

/**
 * A signed send, identified by its hash, which covers neither signature nor work. So there is one hash for each
 * payment.
 */
export interface PaymentBlock {
  block: StateBlock
  hash: string
  /** Address of the account that pays. */
  payer: string
  /** The unsigned `link_as_account`, if there is one. */
  claimsToPay: string | undefined
}

/** Reads the members that every version 2 payment has. */
export function readPayload(members: Record<string, unknown>): PaymentPayload | Reason {
  if (members.x402Version !== X402_VERSION) return 'invalid_x402_version'
  const payload = toMembers(members.payload)
  if (!payload || !toMembers(members.accepted)) return 'invalid_payload'
  return { x402Version: X402_VERSION, accepted: members.accepted, payload: { block: payload.block } }
}

/**
 * Reads the block of a payment more strictly than a node: every length is exact, so that there is only one way to write
 * a block, and no doubt about what was signed. Undefined if it is malformed.
 */
export function readPaymentBlock(given: unknown): PaymentBlock | undefined {
  const members = toMembers(given)
  if (!members || members.type !== 'state') return undefined
  const account = readAddress(members.account)
  const representative = readAddress(members.representative)
  const previous = readHex(members.previous, 64)
  const link = readHex(members.link, 64)
  const signature = readHex(members.signature, 128)
  const work = readHex(members.work, 16)?.toLowerCase()
  const balance = readBalance(members.balance)
  if (!account || !representative || !previous || !link || !signature || !work || balance === undefined)
    return undefined
  const claimed = members.link_as_account
  const claimsToPay = claimed === undefined ? undefined : readAddress(claimed)
  if (claimed !== undefined && claimsToPay === undefined) return undefined
  const block: StateBlock = { type: 'state', account, previous, representative, balance, link, signature, work }
  return { block, hash: hashBlock(block), payer: toAddress(account), claimsToPay }
}

/** Checks the work before the signature, so that flooding us with signatures requires work for each. */
export function checkSignatureAndWork({ block, hash }: PaymentBlock, threshold: bigint): Reason | undefined {
  if (workValue(rootOf(block), block.work) < threshold) return 'invalid_exact_nano_payload_work'
  if (!verifyHash(block.account, hash, block.signature)) return 'invalid_exact_nano_payload_signature'
  return undefined
}

/** Whether the payer has accepted these terms. Other members of `accepted` have no effect. */
export function checkAccepted(accepted: unknown, terms: PaymentTerms): Reason | undefined {
  const agreed = toMembers(accepted) ?? {}
  if (agreed.scheme !== SCHEME) return 'invalid_scheme'
  if (agreed.network !== terms.network) return 'invalid_network'
  const same =
    agreed.asset === ASSET &&
    terms.asset === ASSET &&
    agreed.amount === terms.amount &&
    readAddress(agreed.payTo) === fromAddress(terms.payTo)
  return same ? undefined : 'invalid_payment_requirements'
}

/** The signed bytes name the recipient; `link_as_account` is not signed and must agree with them. */
export function checkRecipient({ block, claimsToPay }: PaymentBlock, { payTo }: PaymentTerms): Reason | undefined {
  const recipient = fromAddress(payTo)
  const pays = block.link === recipient && (claimsToPay === undefined || claimsToPay === recipient)
  return pays ? undefined : 'invalid_exact_nano_payload_recipient_mismatch'
}

/** An amount of raw that can be requested. */
export function readAmount(text: unknown): Raw | undefined {
  if (typeof text !== 'string' || !/^[1-9][0-9]{0,38}$/.test(text)) return undefined
  const amount = BigInt(text)
  return amount <= RAW_MAX ? (amount as Raw) : undefined
}

function readAddress(text: unknown): string | undefined {
  return typeof text === 'string' && /^(?:nano|xrb)_/.test(text) ? fromAddress(text) : undefined
}

function readHex(text: unknown, digits: number): string | undefined {
  return typeof text === 'string' && isHex(text, digits) ? text.toUpperCase() : undefined
}

function readBalance(text: unknown): Raw | undefined {
  if (typeof text !== 'string' || !/^[0-9]{1,39}$/.test(text)) return undefined
  const balance = BigInt(text)
  return balance <= RAW_MAX ? (balance as Raw) : undefined
}
