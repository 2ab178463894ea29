import type { Profile } from './profile.ts'

export function presentProfile(profile: Profile, publicKey: string) {
  return {
    success: true as const,
    firstName: profile.first_name,
    lastName: profile.last_name,
    email: profile.email,
    publicKey,
    webhookUrl: profile.webhook_url,
    sandboxWebhookUrl: profile.sandbox_webhook_url,
  }
}
