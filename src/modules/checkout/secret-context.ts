/** Binds an encrypted secret to its checkout, so that it cannot be decrypted for another one. */
export const secretContext = (checkoutId: string) => `checkout:${checkoutId}`
