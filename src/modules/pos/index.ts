export { pointOfSale } from './point-of-sale.ts'
