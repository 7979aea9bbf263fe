import type { Plural } from '../../../web/voice.ts'

/** Texts of the pages of email payments and of refunds by link. Words in braces are replaced. */
export interface ClaimTexts {
  claim: string
  /** Shown before the page knows what a code is for. */
  claimLead: string
  decline: string
  declineLead: string
  code: string
  codeHint: string
  next: string
  refund: string
  refundLead: string
  from: string
  noName: string
  notVerified: string
  message: string
  /** The reason of a refund, as the seller wrote it. */
  about: string
  until: string
  aboutWorth: string
  noWallet: string
  steps: readonly [string, string, string]
  address: string
  addressHint: string
  send: string
  declineAsk: string
  declineButton: string
  declineThis: string
  declineHelp: string
  declineSure: string
  back: string
  onItsWay: string
  kept: string
  keptHelp: string
  to: string
  inBlock: string
  lookAgain: string
  claimed: string
  claimedHelp: string
  tooLate: string
  tooLateHelp: string
  tooLateRefund: string
  notReady: string
  declined: string
  declinedHelp: string
  unknownCode: string
  wrongAddress: string
  tooMany: string
  funding: string
  waiting: string
  funded: string
  completed: string
  expired: string
  recipients: Plural
  openWallet: string
  qrCode: string
  footer: string
  developmentLedger: string
  languages: string
}
