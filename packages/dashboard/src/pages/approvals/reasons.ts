/** Why a payout waits for a second person, in a few words and as a sentence. */
export const reasonWords: Readonly<Record<string, { readonly short: string; readonly sentence: string }>> = {
  above_amount: { short: 'large amount', sentence: 'The amount is above the threshold of your approval rule.' },
  new_beneficiary: {
    short: 'new beneficiary',
    sentence: 'This account was never paid before. Check the name and the number with the beneficiary.',
  },
  bulk: { short: 'bulk', sentence: 'It came in a bulk, and bulks need approval.' },
}
