"""Words that the scorer of written answers knows by themselves: function words, negators, and what means the same in this field.

Data only, for English answers about distributed training. What a single question asks for stands in its rubric, never here: an
entry belongs here when it would serve any question of the field.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTION_WORDS = _words(
    """
    a about above across actually after again all also although am an and any anything are aren't as at be because been
    before being below between both but by came can can't cannot come could couldn't did didn't do does doesn't doing
    don't done down during each either else even ever every everything few first for from further get gets getting give
    gives given go goes going gone got had has have having he her here his how however i i'd i'll i'm i've if in instead
    into is isn't it it's its itself just let lets let's like made make makes making many may maybe me might mine more
    most much must my need needs neither no nor not now of off on once one only onto or other others our out over own
    perhaps quite rather really said same say says see seem seems shall she should since so some something still such
    than that that's the their them then there there's therefore these they they're this those though through thus to
    together too toward under until up upon us use used uses using very via was we we'd we're well were what what's when
    where whether which while who whom whose per already yes why will with within would yet you you'd you're your yours yourself
    would've want wants thing things way ways someone somebody everybody everyone
    """
)
"""Words that carry no content of their own. Some of them carry polarity, which is looked at first."""

EMPTY = _words(
    """
    more matter effect differ thing problem issu need necessari way howev ~differ requir realli
    """
)
"""Keys of content words that name nothing: a clause of these alone speaks of the clause before it."""

PLACES = _words(
    """
    in inside under outside of with the a within leaving exiting exit leave enter entering via using into
    """
)
"""Words before *no sync* that make it the name of a context manager: somebody is in it, under it or out of it."""

NOUN_BEFORE = _words(
    """
    the a of per local global own weighted those these this token rank sample loss gradient batch microbatch and or to
    """
)
"""Words before *means* that make it the plural of an average."""

CONTENT_ANYWAY = frozenset({"same", "even", "once", "own", "more", "few"})
"""Function words that an accept phrase may hang on."""

NEGATORS = frozenset(
    {"not", "never", "no", "none", "nor", "neither", "nothing", "nowhere", "isnt", "arent", "dont", "doesnt", "didnt", "wasnt"}
)
INABILITY = frozenset({"cannot", "can't", "cant", "couldn't", "couldnt", "unable"})
"""Say that something is beyond a thing's power: an explanation of the problem, not a denial of it."""
ARTICLES = frozenset({"the", "its"})
REASONING = _words(
    """
    i you we one they i'd i'll i'm i've you'd we'd they'd my your our somebody everybody nobody people someone he she should must
    would could can may might need needs have has if when but not no however otherwise instead only why isn't can't don't doesn't
    since because so either until although never
    """
)
"""Words of someone who says what should be and why. A text of many articles without them strings nouns and verbs together."""
COMMANDS = _words(
    """
    divide sum add count multiply scale reduce all-reduce allreduce use take compute normalise normalize accumulate compare keep
    synchronise synchronize sync make replace put check drop skip give let
    """
)
"""Verbs with which a clause begins that says what to do."""
VERBS_BEFORE_NOT = _words(
    """
    is are was were be been being am do does did has have had must should shall will would can could may might need needs ought
    why or and but if it that this they we you i he she rather better often still just also really
    """
)
"""Before *not*, these make it deny the clause; after other words it sets one thing against another."""
FOIL_OPENS = _words(
    "the a an by to on in of from with over for per at each every its their your my only just after before how what as inside"
)
FOIL_ENDS = _words(
    "but so because and which that it they is are was were has have must should will would can does do then rather instead if when"
)
ATTRIBUTES = frozenset({"no", "nothing", "none", "zero"})
"""``the rank with no labels``: a property of what is spoken of."""
NOT_ONLY = frozenset({"only", "just", "merely", "simply", "solely"})
"""``not only X but Y`` denies nothing; without the second half it denies the *only*."""
HARMLESS_AFTER = _words("only just merely simply solely necessarily sure certain clear surprising because matter longer")
EXTENT_BEFORE = _words("to nearly almost next practically virtually like about")
"""``clipped to nothing``, ``almost none``: a measure, no denial."""
"""``not only``, ``not necessarily``, ``no matter``: these deny nothing."""
KNOWING = _words(
    """
    know knows account accounts consider considers see sees aware understand understands handle handles compensate
    compensates fix fixes adjust adjusts guarantee guarantees ensure ensures imply implies look looks care cares notice notices
    show shows appear appears reveal reveals detect detects catch catches
    """
)
"""``DDP does not know ...``: the subject fails to deal with something, which states the problem."""
WORKING = _words(
    """
    correct corrects weight weights weigh cancel cancels take takes change changes rescale divide normalise normalize
    weighted count counts sync synchronise synchronize reduce
    """
)
"""The same of the framework and of a program, which fail to do it; people and quantities deny with these words."""
MACHINERY = _words("it code loop sampler scaler optimizer optimiser script default implementation hook reducer context wrapper")
"""Subjects beside the framework that can fail to do something."""
ADVERSE = frozenset({"~diverge", "~hang", "~leak"}) | _words(
    """
    wrong wrongly bias biased skew skewed diverge diverges drift drifts apart hang hangs deadlock leak leaks lost lose loses
    mismatch mismatched incorrect error bug problem overweighted underweighted dominate dominates inflated stale corrupt
    distorted distorts unequal unequally differ differs
    """
)
"""Words and concepts of harm: *X is not done, so Y goes wrong* states the problem, it denies nothing."""
MODALS = _words("should must need needs would shouldn't mustn't needn't wouldn't won't will shall ought may")

REFUSED = (
    r"\b(?:i|we|you|one)(?:'d|\s+would|\s+should|\s+will|\s+do|\s+need)?\s*(?:not|n't|never|wouldn't|shouldn't|don't|won't|needn't)\s+(?:\w+\s+)?"
    r"(?:check|look|ask|want|compare|log|worry|bother|expect|demand|insist|test|do|care|mind|suspect|blame|inspect|verify|review)\b"
)
"""A clause that says that one would not look at what its sentence then names; matched on lower-case text."""
NEEDLESS = (
    r"\b(?:has|have|had)\s+not\s+to\b|"
    r"\bno\s+(?:real\s+)?(?:need|reason|point|use|sense)\b|\bneedn'?t\b|\bneeds?\s+not\b"
    r"|\b(?:not|never|n't|don'?t|doesn'?t|didn'?t|wouldn'?t|won'?t)\s+(?:\w+\s+){0,2}?(?:need|have)\s+to\b"
    r"|\b(?:not|isn'?t|aren'?t|wasn'?t|never)\s+(?:\w+\s+)?(?:necessary|needed|required|useful|helpful|worth|important|relevant)\b"
    r"|\b(?:(?:do|does|did)\s+not|don'?t|doesn'?t|didn'?t)\s+(?:really\s+)?need\s+(?:any|a|an|the)\b"
    r"|\b(?:unnecessary|needless|needlessly|pointless|superfluous|redundant|optional|negligible)\b|\bwaste\s+of\b"
    r"|\bnothing\s+(?:\w+\s+)?(?:to|has\s+to|needs\s+to|must)\s+be\b"
)
"""A clause that says that something isn't called for; matched on lower-case text."""
NO_EFFECT = (
    r"(?:\b(?:not|never|cannot|can'?t|cant|won'?t|doesn'?t|does|don'?t|didn'?t|isn'?t|wouldn'?t|couldn'?t|shouldn'?t)(?:\s+\w+){0,2}?"
    r"\s+(?:matter|affect|influence|(?:a|the|any)\s+(?:factor|reason|cause|problem|issue)|be\s+(?:a|the|any)\s+(?:factor|reason|cause)"
    r"|make\s+(?:a|any)\s+difference|have\s+(?:an?|any)\s+(?:effect|influence|impact|bearing)|play\s+(?:a|any)\s+(?:role|part)"
    r"|change\s+(?:anything|the\s+(?:loss|result|outcome|gradient|objective))))(?<!does matter)(?<!do matter)"
    r"|\b(?:has|have|had|makes?|plays?|of)\s+no\s+(?:\w+\s+)?(?:effect|influence|impact|difference|bearing|role|part|importance|consequence)"
    r"|\b(?:is|are)\s+(?:completely\s+|totally\s+)?(?:irrelevant|unimportant|harmless|unaffected)\b|\bnothing\s+to\s+do\s+with\b"
    r"|\b(?:not|never|isn'?t|aren'?t|wasn'?t|no)\s+(?:really\s+|actually\s+)?(?:(?:a|an|the|any)\s+)?(?:problem|issue|concern|cause|culprit|reason|bug)\b"
    r"|\b(?:not|isn'?t|aren'?t)\s+(?:at\s+all\s+)?(?:affected|influenced|relevant|changed)\b"
    r"|\b(?:not|never|isn'?t|aren'?t|wasn'?t)\s+(?:\w+\s+)?(?:wrong|wrongly|biased|skewed|incorrect|incorrectly|distorted|harmful)\b"
    r"|\b(?:can(?:no|')?t|cannot|can\s+not)\s+(?:come|stem|result|be\s+due)\b"
)
"""A clause that says that something has no effect; matched on lower-case text."""

DISTANCED = _words(
    """
    myth mistake mistaken mistakenly misconception wrong wrongly false falsely incorrect incorrectly naive naively
    untrue fallacy illusion pretend supposedly
    """
)
"""Words that hold a claim at arm's length: it is reported, not made."""

GRANTS_DIFFERENCE = frozenset({"whether", "unless"})
CONDITIONAL = frozenset(
    {
        "whether",
        "if",
        "when",
        "whenever",
        "unless",
        "because",
        "since",
        "suppose",
        "provided",
        "although",
        "though",
        "assuming",
        "otherwise",
        "lest",
    }
)
REPORTED = (
    r"\b(?:some|many|most|other)\s+(?:people|users|engineers|folks|colleagues)\b|\bpeople\s+(?:often\s+)?(?:think|assume|believe|say|claim)\b"
    r"|\b(?:one|you|we)\s+(?:might|may|could|would)\s+(?:think|assume|expect|say|believe|be\s+tempted)\b"
    r"|\bit(?:'s\s+not|\s+is\s+not|\s+isn't)\s+(?:true\s+|so\s+|the\s+case\s+)?that\b"
    r"|\btempting\b|\bat\s+first\s+(?:sight|glance)\b|\bit\s+(?:may|might|would)\s+seem\b"
)
"""A clause that tells what others hold, or what isn't so; matched on lower-case text."""
_FALSE = (
    r"(?:(?:\w+ly\s+|just\s+|quite\s+)?(?:an?\s+(?:\w+\s+)?)?"
    r"(?:wrong|false|incorrect|untrue|mistaken|mistake|error|myth|misconception|fallacy|nonsense)"
    r"|not\s+(?:so|true|right|correct|the\s+case))"
)
_SAYING = (
    r"(?:to\s+(?:say|think|believe|claim|assume)|(?:saying|thinking|believing|claiming|assuming)"
    r"|(?:the|this|any)\s+(?:\w+\s+)?(?:claim|idea|notion|statement|assertion|belief|assumption|argument|view|thought|suggestion))"
)
VERDICTS = (
    rf"^(?:\w+\s+){{0,2}}?(?:it|this)(?:'s|\s+is|\s+was|\s+would\s+be)\s+{_FALSE}\s+"
    r"(?:(?:to\s+)?(?:say|think|believe|claim|assume)(?:ing)?\s+)?that\b",
    rf"^(?:(?:and|but)\s+)?(?:{_SAYING}\s+)?that\s.*"
    rf"\s(?:(?:is|was|would\s+be)\s+{_FALSE}|(?:isn't|wasn't)\s+(?:so|true|right|correct|the\s+case))$",
)
"""Sentences that call the whole of what they say wrong, at their beginning or at their end; matched on lower-case text. At the end
only where *that* opens what is called wrong: *the loss that is logged is wrong*, and *this means that it is wrong*, are claims."""
NAMES_TOPICS = (
    r"\b(?:it|this|that|everything|all)(?:'s|\s+is)\s+(?:all\s+|mostly\s+|mainly\s+)?about\b"
    r"|\b(?:are|were)\s+(?:all\s+)?(?:the\s+)?(?:\w+\s+)?(?:important|key|main|relevant|central|crucial)\s+(?:\w+\s+)?(?:concepts|things|topics|terms|ideas|words|aspects)\b"
)
"""A sentence that names topics and says nothing of them; matched on lower-case text."""
TAKEN_BACK = (
    r"\btake\s+(?:that|this|it|all\s+that)\s+back\b|\bscratch\s+that\b|\b(?:mixing|mixed|got|getting)\s+(?:it|that|this|them)\s+(?:up|wrong)\b"
    r"|\bi\s+(?:was|am|stand)\s+(?:wrong|mistaken|corrected)\b|\bi(?:'d|\s+would)\s+not\s+(?:do|ask|use|say)\s+(?:that|this|it)\b"
    r"|\bforget\s+(?:that|this|what\s+i)\b"
    r"|\b(?:that|this|it)\s+(?:can't|cannot|can\s+not)\s+be\s+(?:it|right|true|so|the\s+(?:case|cause|reason))\b|"
    r"^(?:\w+\s+){0,4}?(?:that|this|it|which|they)(?:'s|'re|\s+is|\s+are|\s+would\s+be)\s+(?:a\s+|an\s+|just\s+|simply\s+|plainly\s+)?"
    r"(?:wrong|mistake|mistaken|false|incorrect|myth|untrue|misconception|fallacy|not\s+(?:true|right|correct|so|the\s+case))\b"
    r"|^(?:\w+\s+){0,4}?(?:that|this|it)\s+(?:isn't|wasn't)\s+(?:true|right|correct|so|the\s+case)\b"
)
"""A clause that takes back the one before; matched on lower-case text."""
RETRACTS = (
    r"^(?:(?:but|though|although|however|well|and|oh|ah|ok|okay|yet|or)[\s,]+)*"
    r"(?:(?:no|nope|sorry|hold\s+on|correction|scratch\s+that|strike\s+that|never\s*mind)\b(?=\s*[,.:;!-]|\s*$|\s+(?:no|wait|sorry|actually|it|that)\b)"
    r"|on\s+the\s+other\s+hand\b|(?:having\s+said\s+that|that\s+said|mind\s+you|or\s+(?:maybe|perhaps|rather)\s+not)\b|hmm+\b|(?:no[\s,]+)?wait\b(?=\s*[,.:;!-]|\s*$|\s+(?:no|sorry|actually|i|that)\b)"
    r"|(?:on|upon)\s+(?:second|further|closer|more|careful)\s+(?:thoughts?|reflection|inspection|look)|on\s+reflection"
    r"|(?:then|there)\s+again|thinking\s+(?:about\s+it\s+|this\s+over\s+|it\s+over\s+)?again|(?:now\s+(?:that\s+)?i|when\s+i|if\s+i)\s+think"
    r"|come\s+to\s+think|thinking\s+(?:more\s+)?about\s+(?:it|this|that)|i\s+(?:take|withdraw|retract|was\s+wrong|stand\s+corrected|don'?t\s+think\s+so|changed?\s+my\s+mind))"
    r"|^(?:but|though|although|however|well|hmm+|no)[\s,]+(?:in\s+)?(?:actually|fact|truth|reality)\b"
)
"""A clause that turns against what was said before it; matched on lower-case text."""
VERDICT = (
    r"\b(?:i(?:'d|'ll|\s+would|\s+will)?|we|lets|let's|you\s+can)\s+(?:just\s+|simply\s+|still\s+|therefore\s+)?"
    r"(?:approve|merge|accept|keep|leave|sign\s+off)(?:\s+(?:on\s+)?(?:it|this|that|them|1|2|the\s+(?:change|pull\s+request|pr|patch|proposal|code|hook|line)))?"
    r"(?:\s+(?:as\s+(?:it\s+is|is)|alone|anyway))?(?=\s*(?:[.,;!]|$))|\bnothing\s+(?:is\s+)?(?:wrong|found|to\s+(?:fix|mend|change))\b|\blgtm\b"
)
"""A clause that lets what is reviewed pass; matched on lower-case text."""
APPROVING = _words(
    "fine ok okay right correct exact exactly harmless enough safe unbiased anyway anyhow sufficient suffices works intended"
)
CONTRASTING_AGAIN = _words("but however though although still yet actually nevertheless nonetheless anyway practice")
"""``but in practice that is fine``: after one of the latter, one of the former takes back that something is wrong."""
DISMISSES = (
    r"\b(?:can|may|could|should)\s+(?:just\s+|simply\s+)?(?:stay|remain)\b|\bleave\s+(?:it|this|that|them|the\s+\w+)\s+(?:as\s+(?:it|they)\b|alone\b)"
    r"|\b(?:is|are|gets?|been)\s+(?:already\s+|all\s+)?(?:handled|taken\s+care\s+of|dealt\s+with|accounted\s+for)\b|\bchang(?:es?|ing)\s+nothing\b"
    r"|\b(?:it|that|this)(?:'s|\s+is)\s+enough\s+to\b|\bas\s+(?:it|they)\s+should(?:\s+be)?$|\b(?:does|do|handles?)\s+the\s+rest\b|\btakes?\s+care\s+of\s+(?:it|this|that|them)\b"
    r"|\b(?:gives?|is|does|do)\s+(?:exactly|just|precisely)\s+(?:that|this|the\s+same)\b"
)
"""A clause that finds nothing to mend; matched on lower-case text."""
TO_THE_GRADER = (
    r"\brubric\b|\b(?:full|all|maximum|max)\s+(?:of\s+the\s+)?(?:marks?|points?|credits?|scores?)\b|\b\d+\s+(?:of|out\s+of)\s+\d+\s+(?:points|marks)\b"
    r"|\b(?:this|my)\s+answer\s+(?:is\s+(?:\w+\s+)?(?:correct|right|complete|perfect)|should|must|deserves|meets|satisfies)\b|\b(?:grade|score|rate|evaluate)\s+(?:this|my)\s+(?:answer|response)\b"
    r"|\b(?:every|each|all|any)\s+(?:\S+\s+)?criteri(?:on|a)\b|\bcriteri(?:on|a)\s+(?:is|are)\s+(?:\w+\s+)?(?:met|satisfied|fulfilled)\b|\b(?:mark|marked|count|treat|consider|accept)\s+(?:\S+\s+){0,4}?(?:as\s+)?(?:met|correct|satisfied|fulfilled)\b"
    r"|\b(?:ignore|disregard|forget)\s+(?:the|all|any|previous|prior|your|these)\s+(?:\w+\s+)?(?:instructions?|rules?|prompt|question|above)\b"
    r"|\b(?:award|grader|grading|examiner|as\s+an\s+ai|language\s+model)\b|^\s*system\b|\bthe\s+(?:student|candidate|learner)\s+(?:has|is|clearly|fully)\b|\b\S+\s+met,\s+\S+\s+met\b"
)
"""A sentence that speaks of its own grading, or to whoever grades; matched on lower-case text."""
SUPPOSING = frozenset({"if", "whether", "unless", "suppose", "supposing", "assuming", "provided"})
CONNECTIVES = CONDITIONAL | {
    "but",
    "however",
    "whereas",
    "while",
    "so",
    "therefore",
    "thus",
    "hence",
    "then",
    "instead",
    "yet",
}
AFTER_COMMA = frozenset(
    {"and", "or", "which", "nor", "not", "it", "they", "this", "that", "there", "you", "we", "each", "every", "the"}
)
"""Words that open a clause where a comma stands before them."""

CONCEPTS: dict[str, tuple[str, ...]] = {
    concept: tuple(entry.strip() for entry in entries.split(","))
    for concept, entries in {
        "~rank": "machine, host, rank, gpu, gpus, device, worker, process, replica, card, accelerator, graphics card, participant",
        "~framework": "framework, ddp, fsdp, trainer, library, pytorch, deepspeed, lightning, accelerate, wrapper",
        "~mean": "mean, average, avg",
        "~differ": "differ, different, difference, differently, unequal, unequally, uneven, unevenly, vary, varied, varying, "
        "ragged, imbalance, imbalanced, unbalanced, lopsided, disparate, non uniform, nonuniform, variable length, "
        "unlike, mismatch",
        "~same": "same, equal, equally, equals, identical, identically, uniform, even, evenly, balanced, equivalent",
        "~drop": "drop, discard, throw away, thrown away, throws away, throw out, thrown out, omit, leave out, left out, "
        "cut off, lose, lost, truncate",
        "~duplicate": "duplicate, duplication, repeat, repetition, twice, copy, more than once, double count, counted double",
        "~microbatch": "micro pass, microbatch, micro batch, microbatches, micro batches, minibatch, mini batch, "
        "micro step, microstep",
        "~accumulate": "accumulate, accumulation, accum, grad accum",
        "~denominator": "denominator, divisor, divide, division, normalize, normalise, normalization, normalisation, normaliser",
        "~count": "count, number, amount, quantity, how many, tally",
        "~valid": "labelled, labeled, that count, that counts, valid, unmasked, "
        "supervised, non pad, non padding, non padded, real, not masked, not padded, not padding",
        "~pad": "pad, padding, padded, filler",
        "~tail": "end of the epoch, end of the pass, tail, leftover, left over, remainder, remaining, rest",
        "~reduce": "pool, pooled, combine, exchange, all reduce, allreduce, reduce, reduction, aggregate, aggregation",
        "~global": "global, overall, total, whole, globally, worldwide",
        "~local": "local, locally, own, individual, individually, separately, on its own",
        "~sample": "sample, example, item, row",
        "~sequence": "sequence, document, sentence, text",
        "~correct": "correct, correctly, right, proper, properly, accurate, accurately",
        "~automatic": "automatic, automatically, by itself, for you, on your behalf, internally, out of the box, under the hood",
        "~handle": "handle, take care, takes care, deal with, deals with, guarantee, ensure, manage, make sure, makes sure",
        "~fewer": "few, fewer, less, smaller",
        "~last": "last, final, finally",
        "~short": "incomplete, partial, shorter, short, truncated, not full",
        "~shard": "shard, partition, split, slice",
        "~order": "order, ordering, shuffle, permutation, permute",
        "~weight": "counts as much, count as much, importance, weight, weigh, weighting, influence, contribution",
        "~sync": "synchronise, synchronize, synchronisation, synchronization, sync",
        "~decide": "decide, decision",
        "~compare": "compare, comparison",
        "~choose": "choose, choice",
        "~exclude": "exclude, exclusion, ignore",
        "~agree": "vote, unanimous, jointly, in lockstep, all or none, in common, agree, agreement, consensus",
        "~infinite": "overflowed, inf, infs, infinite, infinity, infinities, overflow, found inf",
        "~onedevice": "single device, single process, single gpu, single machine, single card, single worker, one device, "
        "one machine, one gpu, one process, one card, one worker, 1 gpu, 1 process, 1 card",
        "~bigbatch": "big batch, large batch, one batch, full batch, undivided batch, bigger batch, larger batch, big batches",
        "~leak": "spill into, leak, spill, bleed, pollute, contaminate, carry over, carried over, carries over, spill over",
        "~diverge": "diverge, divergence, drift, drift apart, out of sync",
        "~nosync": "no sync, nosync",
        "~hang": "stuck, hang, hung, deadlock, stall, wait for ever, wait forever, waits forever, waits for ever, waiting forever, "
        "block, freeze, frozen, time out, times out, timed out, timeout",
        "~skip": "sit out, sits out, sat out, skip, leave, bypass, omits",
        # Named by a stem: these stand for one another, but a rubric may let others stand for them.
        "clip": "trim, cap, cut down",
        "gradient": "grad",
        "unscal": "deflate, scale back, shrink back, divide the scale out, undo the scale",
        "scale": "inflate, magnify, enlarge",
        "check": "verify, test, assert, prove",
        "~exp": "exp, exponential, exponentiate, exponentiation",
        "~zero": "zero, empty, none at all",
        "~multiply": "multiply, multiplication, multiplicative, multiplier, blow up, blown up, scale up, scaled up",
        "~sum": "sum, summation, add up, adds up, added up, adding up, add together, added together",
        "~reference": "reference, baseline, oracle, ground truth",
        "~image": "image, picture, photo",
        "~batchnorm": "batch norm, batchnorm, batch normalization, batch normalisation",
        "~variance": "variance, spread, dispersion",
        "~float32": "float 32, fp 32, single precision, full precision, 32 bit",
        "~float64": "float 64, fp 64, double precision, 64 bit, double",
        "~bfloat16": "bfloat 16, bf 16",
        "~float16": "float 16, fp 16, half precision",
        "~integer": "integer, int, int 64, whole number, whole numbers",
        "~learningrate": "learning rate, learning rates, learningrate, step size",
        "~response": "response, completion, rollout",
        "~grow": "grow, growth, increase, rise",
        "~wrong": "wrong, incorrect, wrongly, incorrectly, mistaken, faulty",
        "~silent": "silent, silently, unnoticed, without error, without an error, no error",
        "~epoch": "epoch, pass over the data",
    }.items()
}
"""Words and word pairs that mean the same here. Written as people write them; stems are made from them."""

EXACT = {"divisible": "~divisible", "divisibility": "~divisible"}
"""Words whose stem would lead astray."""

OPPOSITE = {"~same": "~differ", "~differ": "~same"}

RIVAL = {"~local": "~global", "~global": "~local", "~same": "~local"}
"""Where a phrase has the one and an answer only the other, it says another thing."""

PROTECTED = _words(
    """
    able actual agree also always amount apply area argue bank base basis been bench best better bigger block both bound
    brand break bring build call came card care case catch cause chance change charge check choice chosen claim class
    clean clear close coarse collect come compare compute content correct course court cover data date deal defer dense
    depend detail develop device devise direct divine dream drive drop during early earn effect else enough error even
    event ever every exact example expect fact fair fall false fast fewer field figure final find first fixed float
    follow force form former found free frees front gather general gone good grade gradual great group grow guess half
    hand happen hard have head help hence high hold host hour idea image impact inside issue keep kind know known label
    large last late later latter layer lead learn least leave left less letter level light line list live load locate
    location long look lose loss lost lots lower main many mark mask match math matter meant measure mention might mind
    mode model more most move much must near need never next node noise none normal note notice number often once open
    operate order other over pair part pass past path perform place plan point poor power present proceed process
    product prove quick quite raise range rare rate rather read real reason recall report rest result rule same sane
    scale score seed seem sense sent series serve several share shared shares short should show side sign simple simply
    single size skip slice slow small some sort source span speed split stand start state stay step still stop store
    such sure table tail take taken tale talk task team tell test text than then there think those time told took tool
    total track trail train trained true try turn type under unit until used user usual value verse very wait want watch
    weak well went were what when where which while whole wide will with within word work world worse would write wrong
    year zero
    """
)
"""Common words that stand within a letter or two of a term and are not misspellings of it."""

CLAIMING = FUNCTION_WORDS - _words(
    "a an the of in on for to vs with without per by from and or between at as into over via under not no more most less few "
    "first last own same every each all any some off up"
)
"""Function words of whole sentences: a piece of an answer without any of them is a term, not a claim."""

OTHER_LANGUAGES = _words(
    """
    der die das und ist nicht ein eine einen wenn dann weil auf mit von für wird werden sich auch aber jeder jede über
    seine el la los las un una es son que por para con su sus cada luego pero como del si no se le les des et est une
    dans pour sur qui pas avec chaque donc mais ou leur leurs il elle il lo gli di che per con non sono ogni della degli
    e o um os das nos uma não com mais een het van niet zijn op voor dat
    """
) - {"die", "no", "on", "as", "or", "um", "per", "do", "com"}
"""Function words of some neighbours, to tell an answer in another language from a weak one."""
