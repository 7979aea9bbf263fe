export { paymentLink, paymentLinks } from './payment-link.ts'
