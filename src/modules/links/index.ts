export { paymentLink } from './payment-link.ts'
