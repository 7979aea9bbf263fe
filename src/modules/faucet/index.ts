import type { Module } from '../../kernel/module.ts'
import { faucetCheck } from './actions/faucet-check.ts'
import { faucetClaim } from './actions/faucet-claim.ts'

export const faucet: Module = { name: 'faucet', actions: [faucetCheck, faucetClaim] }
