import { readFileSync } from 'node:fs'
import { RAW_MAX } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { readContents } from '../../src/kernel/nano/ledger-send.ts'
import { type PaymentProof, makeProof } from '../../src/kernel/nano/payment-proof.ts'
import { isFinalVote, readVote } from '../../src/kernel/nano/vote.ts'

interface RecordedVotes {
  votes: {
    message: { account: string; signature: string; timestamp: string; duration: string; blocks: string[] }
    signed_hash: string
    signature_hex: string
  }[]
  blocks_info: { blocks: Record<string, { contents: Record<string, string>; block_account: string; amount: string }> }
  confirmation_quorum: { quorum_delta: string; trended_stake_total: string; online_stake_total: string }
  representatives_online: { representatives: Record<string, { weight: string }> }
}

/** Frames of the topic `vote` from a real node (V27.1), with the blocks, the quorum and the online representatives. */
export const RECORDED_VOTES = JSON.parse(
  readFileSync(new URL('../fixtures/node-votes.json', import.meta.url), 'utf8'),
) as RecordedVotes

/** The proof of a payment on the recorded network. */
export function recordedProof(): PaymentProof {
  const { votes, blocks_info: info, confirmation_quorum: quorum, representatives_online: online } = RECORDED_VOTES
  const hash = votes[3]!.message.blocks[0]!
  const { contents, block_account } = info.blocks[hash]!
  const before = info.blocks[contents.previous!]!
  const vote = readVote(
    votes.map(({ message }) => message).find(({ blocks, duration }) => blocks[0] === hash && duration === '15'),
  )!
  const stakes = [quorum.trended_stake_total, quorum.online_stake_total].map(BigInt)
  const proof =
    isFinalVote(vote) &&
    makeProof({
      send: { hash, block: readContents(hash, contents)!, account: fromAddress(block_account)! },
      previous: { block: readContents(contents.previous!, before.contents)! },
      votes: [vote],
      reported: {
        weights: Object.fromEntries(
          Object.entries(online.representatives).map(([address, { weight }]) => [address, weight]),
        ),
        quorum_raw: quorum.quorum_delta,
        online_raw: stakes.reduce((most, one) => (one > most ? one : most), 0n).toString(),
        source: ['node.example'],
        taken_unix: 1_795_016_576,
      },
    })
  if (!proof || BigInt(proof.amount_raw) >= RAW_MAX) throw new Error('The recorded payment is not proved.')
  return proof
}
