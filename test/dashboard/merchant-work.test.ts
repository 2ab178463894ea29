// The stories of one file share one stack and one browser.
import './home.stories.ts'
import './developers.stories.ts'
import './settings.stories.ts'
import './keyboard.stories.ts'
import './payments-many.stories.ts'
