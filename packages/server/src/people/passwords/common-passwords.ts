// Detects common passwords by their parts instead of a list of whole passwords: words, pairs of words, keyboard runs and
// repetitions, with or without digits at the ends. The word lists are our own selection.

/**
 * Whether the text is a word, a pair of words, up to four keyboard runs or a repetition of these, with any digits before and
 * after. Expects only lower-case letters and digits.
 */
export function isCommonPassword(text: string): boolean {
  const core = text.replace(/^\p{N}+|\p{N}+$/gu, '');
  return [text, core || text].some((whole) => {
    const unit = unitOf(whole);
    return unit.length <= longestTrivialUnit || isMadeOf(unit, isWordOrRun, 2) || isMadeOf(unit, isRun, 4);
  });
}

/** A unit of at most this length is a common password, however often it is repeated. */
const longestTrivialUnit = 4;
const leastRun = 3;
/** No word or run is longer. The limit keeps the check of a long password as cheap as that of a short one. */
const longestPart = 64;

/** The repeated unit: `abc` of `abcabcab`; the text itself if it repeats nothing. */
function unitOf(text: string): string {
  for (let length = 1; length <= text.length / 2; length += 1)
    if (text.startsWith(text.slice(length))) return text.slice(0, length);
  return text;
}

/** Whether the text consists of at most `mostParts` parts. */
function isMadeOf(text: string, isPart: (part: string) => boolean, mostParts: number): boolean {
  if (text.length > longestPart * mostParts) return false;
  if (text.length <= longestPart && isPart(text)) return true;
  if (mostParts === 1) return false;
  for (let cut = Math.min(longestPart, text.length - 1); cut > 0; cut -= 1)
    if (isPart(text.slice(0, cut)) && isMadeOf(text.slice(cut), isPart, mostParts - 1)) return true;
  return false;
}

function isWordOrRun(part: string): boolean {
  return words.has(part) || words.has(unitOf(part)) || isRun(part);
}

function isRun(part: string): boolean {
  return part.length >= leastRun && (/^(.)\1+$/u.test(part) || runs.some((run) => run.includes(part)));
}

const passwordWords =
  'password passwort passwd passphrase passcode pass pwd motdepasse contrasena contrasenya wachtwoord parola senha salasana haslo heslo parol mima kouling sifre kodeord losenord jelszo secret secrets geheim secreto segredo topsecret private privat default standard changeme change changeit changethis changenow changepassword newpassword oldpassword mypassword yourpassword thepassword thisismypassword thisisapassword nopassword notapassword temppassword temporary temp tmp initial initialpassword firstpassword password1 letmein letmeinnow letmeinplease openup opensesame sesame welcome welcomeback willkommen bienvenue bienvenido welkom hello helloworld hallo bonjour hola ciao nihao test tests testing tester testtest testpassword testuser trial demo demopassword sample example examplepassword guest guestuser visitor public user username users userpassword login logins logon signin signup access accessdenied entry enter account konto unlock unlockme key keys masterkey token admin admins administrator administrador administrateur adminadmin adminpassword adminuser sysadmin systemadmin superadmin superadministrator superuser root rootroot rootpassword toor operator manager management supervisor moderator support helpdesk service servicedesk backup oracle mysql postgres postgresql mongodb redis server database computer internet network system windows linux ubuntu apple google facebook twitter amazon microsoft samsung android iphone nokia cisco router switch wireless wifi';
const phraseWords =
  'iloveyou iloveu iloveyousomuch iloveyouforever iloveme ilovegod ilovejesus ilovemyself ilovemyfamily loveyou loveme love lovely lover lovers lovelove loveforever mylove truelove teamo tequiero jetaime ichliebedich woaini woaiwo woainima wobuzhidao woaini1314 woaini520 5201314 1314520 7758521 7758258 520520 1314521 fuckyou fuckoff fuckme fuck shit asshole bitch bitches sexy sex pussy nicole sexsex blowjob lovesex trustno1 trustnoone whatever whatsup noidea nothing nobody somebody anything everything forever together goodluck luckyday lucky happy happyday happiness smile smiley peace freedom liberty justice destiny blessed blessing jesus jesuschrist christ godisgood godislove heaven angel angels devil lucifer satan startrek starwars enterprise matrix superman batman spiderman ironman wolverine hercules gandalf frodo hobbit lordoftherings harrypotter hogwarts voldemort naruto sasuke goku pokemon pikachu digimon mario zelda minecraft fortnite roblox counterstrike warcraft worldofwarcraft starcraft diablo playstation nintendo xbox gameover gamer games letsgo correcthorsebatterystaple correcthorse batterystaple thequickbrownfox thequickbrownfoxjumpsoverthelazydog loremipsum loremipsumdolorsitamet tobeornottobe maytheforcebewithyou openthedoor iamyourfather iamthebest iamking iamgod ihateyou idontknow idontcare iforgot iforgotmypassword rememberme dontforget donotenter keepout asdfasdf abcabc onetwothree onetwothreefour einszweidrei unodostres';
const sportWords =
  'football soccer baseball basketball volleyball hockey golf golfer tennis rugby cricket boxing swimming skating skater snowboard surfing runner running fitness barcelona realmadrid liverpool chelsea arsenal manchester manutd mancity juventus acmilan inter bayern dortmund benfica porto ajax celtic rangers everton tottenham westham yankees redsox dodgers lakers celtics bulls cowboys steelers packers eagles raiders patriots broncos giants dolphins ronaldo messi beckham jordan kobe tiger tigers lions bears panthers falcons redskins longhorns buckeyes gators';
const animalAndThingWords =
  'dragon dragons monkey monkeys panda pandas lion wolf wolves eagle falcon hawk phoenix unicorn butterfly dolphin horse horses pony bunny rabbit chicken turtle spider snake shark whale mouse hamster puppy kitten kitty cat cats dog dogs doggy doggie bulldog buster buddy max rocky lucky shadow tigger snoopy garfield mickey minnie donald winnie bambi simba nemo flower flowers rose roses lily daisy jasmine violet sunflower sunshine sunny sun moon moonlight star stars starlight sky rainbow cloud thunder lightning storm winter spring summer autumn fall january february march april may june july august september october november december monday tuesday wednesday thursday friday saturday sunday weekend holiday birthday christmas newyear halloween easter chocolate cookie cookies candy sugar honey banana apple orange cherry strawberry peach mango lemon pepper ginger coffee cheese pizza burger cocacola pepsi whiskey vodka tequila guinness ferrari porsche lamborghini mercedes bmw audi toyota honda nissan suzuki yamaha kawasaki harley davidson mustang corvette camaro chevrolet chevy ford silver silvers gold golden diamond diamonds crystal pearl ruby emerald purple yellow orange green blue black white red pink magic wizard merlin knight prince princess queen king kings master masters boss hunter killer ninja samurai pirate pirates warrior soldier sniper ranger captain cowboy rebel maverick hacker hackers cracker phantom ghost vampire zombie monster beast legend hero heroes champion winner victory success money dollar rich million millionaire guitar music rock rockstar rocknroll metallica nirvana slipknot eminem beatles elvis blink182 linkinpark greenday acdc ledzeppelin pinkfloyd';
const personWords =
  'michael michelle jennifer jessica ashley amanda daniel daniela david andrew andrea joshua matthew anthony robert thomas charlie charles george william james john johnny jonathan joseph justin jordan jason kevin brian brandon nicholas nicolas christian christine christina christopher alexander alexandra alexandre alejandro alejandra antonio fernando francisco carlos roberto ricardo eduardo gabriel gabriela angela angelina angelica melissa samantha stephanie elizabeth victoria vanessa veronica valentina natalia natasha svetlana vladimir sergey dmitry ivan maria mariana marina martin martina patrick patricia peter steven stephen richard sebastian benjamin samuel rebecca rachel sarah sophie hannah laura emily oliver harry jack maggie molly lucy chloe zoe bella daisy barbara nancy sandra sharon susan karen linda donna heather amber tiffany brittany taylor tyler austin dakota hunter morgan madison xiaoming zhangsan lisi wangwu zhangwei wangfang wangwei liwei lina liuyang mohammed muhammad mohamed ahmed fatima ali hassan hussein krishna ganesh sairam rahul priya london paris berlin madrid newyork newyorkcity chicago boston dallas houston texas florida california arizona canada america usa england ireland scotland germany deutschland france italia espana mexico brasil argentina china beijing shanghai shenzhen guangzhou japan tokyo korea india pakistan russia moscow turkey istanbul galatasaray fenerbahce besiktas';

/** Keyboard rows and counting sequences, forwards; `runs` adds each one backwards. */
const forwardRuns = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  'qazwsxedcrfvtgbyhnujmikolp',
  'q1w2e3r4t5y6u7i8o9p0',
  '1q2w3e4r5t6y7u8i9o0p',
  'a1b2c3d4e5f6g7h8i9j0',
  '1a2b3c4d5e6f7g8h9i0j',
  'a1s2d3f4g5h6j7k8l9',
  'z1x2c3v4b5n6m7',
  'zaqxswcdevfrbgtnhymjukilop',
  '147258369',
  '159357456852',
  '112233445566778899',
  '123321',
  '11223344',
];

const runs = forwardRuns.flatMap((run) => [run, [...run].reverse().join('')]);

const words: ReadonlySet<string> = new Set(
  [passwordWords, phraseWords, sportWords, animalAndThingWords, personWords].flatMap((line) =>
    line.split(' '),
  ),
);
