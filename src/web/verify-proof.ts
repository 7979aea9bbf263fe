/* What pages load to verify proofs in the browser: bundled into `assets/verify-proof.js` by `npm run keep-verifier`. */
export { describeVerdict, verifyProof } from '../kernel/nano/payment-proof.ts'
