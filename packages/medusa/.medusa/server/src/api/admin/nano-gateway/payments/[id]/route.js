/* Medusa finds routes by their paths; it lets only administrators in below `/admin`. */
export { readPayment as GET } from '@nano-gateway/medusa'
