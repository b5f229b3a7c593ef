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

CONTENT_ANYWAY = frozenset({"same", "even", "once", "own", "more", "few"})
"""Function words that an accept phrase may hang on."""

NEGATORS = frozenset(
    {"not", "never", "no", "none", "nor", "neither", "nothing", "nowhere", "isnt", "arent", "dont", "doesnt", "didnt", "wasnt"}
)
INABILITY = frozenset({"cannot", "can't", "cant", "couldn't", "couldnt", "unable"})
"""Say that something is beyond a thing's power: an explanation of the problem, not a denial of it."""
HARMLESS_AFTER = _words("only just merely simply solely necessarily sure certain clear surprising because matter longer")
"""``not only``, ``not necessarily``, ``no matter``: these deny nothing."""
HANDLING = _words(
    """
    know knows account accounts consider considers see sees aware understand understands correct corrects handle handles
    weight weights weigh compensate compensates fix fixes adjust adjusts guarantee guarantees ensure ensures imply
    implies cancel cancels take takes look looks care cares notice notices change changes rescale divide normalise
    normalize weighted
    """
)
"""``DDP does not know ...``: the subject fails to handle something, which states the problem."""

NO_EFFECT = (
    r"(?:\b(?:not|never|cannot|can'?t|cant|won'?t|doesn'?t|does|don'?t|didn'?t|isn'?t|wouldn'?t|couldn'?t|shouldn'?t)(?:\s+\w+){0,2}?"
    r"\s+(?:matter|affect|influence|(?:a|the|any)\s+(?:factor|reason|cause|problem|issue)|be\s+(?:a|the|any)\s+(?:factor|reason|cause)"
    r"|make\s+(?:a|any)\s+difference|have\s+(?:an?|any)\s+(?:effect|influence|impact|bearing)|play\s+(?:a|any)\s+(?:role|part)"
    r"|change\s+(?:anything|the\s+(?:loss|result|outcome|gradient|objective))))(?<!does matter)(?<!do matter)"
    r"|\b(?:has|have|had|makes?|plays?|of)\s+no\s+(?:\w+\s+)?(?:effect|influence|impact|difference|bearing|role|part|importance|consequence)"
    r"|\b(?:is|are)\s+(?:completely\s+|totally\s+)?(?:irrelevant|unimportant|harmless|unaffected)\b|\bnothing\s+to\s+do\s+with\b"
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
    {"whether", "if", "when", "whenever", "unless", "because", "since", "suppose", "provided", "although", "though", "assuming"}
)
REPORTED = (
    r"\b(?:some|many|most|other)\s+(?:people|users|engineers|folks|colleagues)\b|\bpeople\s+(?:often\s+)?(?:think|assume|believe|say|claim)\b"
    r"|\b(?:one|you|we)\s+(?:might|may|could|would)\s+(?:think|assume|expect|say|believe|be\s+tempted)\b"
    r"|\btempting\b|\bat\s+first\s+(?:sight|glance)\b|\bit\s+(?:may|might|would)\s+seem\b"
)
"""A clause that tells what others hold; matched on lower-case text."""
TAKEN_BACK = (
    r"^(?:but\s+|and\s+|however\s+|yet\s+)?(?:that|this|it|which|they)(?:'s|'re|\s+is|\s+are|\s+would\s+be)\s+(?:a\s+|an\s+|just\s+|simply\s+|plainly\s+)?"
    r"(?:wrong|mistake|mistaken|false|incorrect|myth|untrue|misconception|fallacy|not\s+(?:true|right|correct|so|the\s+case))\b"
    r"|^(?:but\s+)?(?:that|this|it)\s+isn't\s+(?:true|right|correct|so|the\s+case)\b"
)
"""A clause that takes back the one before; matched on lower-case text."""
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
    "otherwise",
    "yet",
}
AFTER_COMMA = frozenset(
    {"and", "or", "which", "nor", "not", "it", "they", "this", "that", "there", "you", "we", "each", "every", "the"}
)
"""Words that open a clause where a comma stands before them."""

CONCEPTS: dict[str, tuple[str, ...]] = {
    concept: tuple(entry.strip() for entry in entries.split(","))
    for concept, entries in {
        "~rank": "rank, gpu, gpus, device, worker, process, replica, card, accelerator, graphics card, participant",
        "~framework": "framework, ddp, fsdp, trainer, library, pytorch, deepspeed, lightning, accelerate, wrapper",
        "~mean": "mean, average, avg",
        "~differ": "differ, different, difference, differently, unequal, unequally, uneven, unevenly, vary, varied, varying, "
        "ragged, imbalance, imbalanced, unbalanced, lopsided, disparate, non uniform, nonuniform, variable length, "
        "unlike, mismatch",
        "~same": "same, equal, equally, identical, uniform, even, evenly, balanced, equivalent",
        "~drop": "drop, discard, throw away, thrown away, throws away, throw out, thrown out, omit, leave out, left out, "
        "cut off, lose, lost, truncate",
        "~duplicate": "duplicate, duplication, repeat, repetition, twice, copy, more than once, double count, counted double",
        "~microbatch": "microbatch, micro batch, microbatches, micro batches, minibatch, mini batch, micro step, microstep",
        "~accumulate": "accumulate, accumulation, accum, grad accum",
        "~denominator": "denominator, divisor, divide, division, normalize, normalise, normalization, normalisation, normaliser",
        "~count": "count, number, amount, quantity, how many, tally",
        "~valid": "valid, unmasked, supervised, non pad, non padding, non padded, real, not masked, not padded, not padding",
        "~pad": "pad, padding, padded, filler",
        "~tail": "tail, leftover, left over, remainder, remaining, rest",
        "~reduce": "all reduce, allreduce, reduce, reduction, aggregate, aggregation",
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
        "~weight": "weight, weigh, weighting, influence, contribution",
        "~sync": "synchronise, synchronize, synchronisation, synchronization, sync",
        "~hang": "hang, deadlock, stall, wait for ever, wait forever, block",
        "~skip": "skip, leave, bypass, omits",
        "~zero": "zero, empty, none at all",
    }.items()
}
"""Words and word pairs that mean the same here. Written as people write them; stems are made from them."""

EXACT = {"divisible": "~divisible", "divisibility": "~divisible"}
"""Words whose stem would lead astray."""

OPPOSITE = {"~same": "~differ", "~differ": "~same"}

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

OTHER_LANGUAGES = _words(
    """
    der die das und ist nicht ein eine einen wenn dann weil auf mit von für wird werden sich auch aber jeder jede über
    seine el la los las un una es son que por para con su sus cada luego pero como del si no se le les des et est une
    dans pour sur qui pas avec chaque donc mais ou leur leurs il elle il lo gli di che per con non sono ogni della degli
    e o um os das nos uma não com mais een het van niet zijn op voor dat
    """
) - {"die", "no", "on", "as", "or", "um", "per", "do", "com"}
"""Function words of some neighbours, to tell an answer in another language from a weak one."""
