"""The semantic tier: MiniLM's token states, set against a rubric's phrases. Needs the extra ``semantic``; never a download.

Here: WordPiece, the encoder, the map of its states. Not here: what follows for points (``quizapp.scoring.claims``). The lexical
tier is complete without any of this. ``vocab.txt`` is the vocabulary of BERT base uncased (Apache License 2.0, Google).
"""
