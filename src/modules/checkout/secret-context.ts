/** A sealed secret opens for the checkout it was sealed for and for no other. */
export const secretContext = (checkoutId: string) => `checkout:${checkoutId}`
